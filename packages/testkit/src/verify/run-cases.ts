import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentAdapter, type AgentMode, createClient, messageOf, modesOf } from '@agent-mux/core';
import { startScriptedModel } from '../model/index.ts';
import { type AgentSetup, quirksOf } from './agent-setup.ts';
import { Bench, type BenchCommands, type OpenConfigured } from './bench.ts';
import { DaemonCarrier } from './carrier/daemon-carrier.ts';
import type { ConnectDaemon } from './carrier/session-client.ts';
import { verifyCases } from './cases/index.ts';
import { cleanEnvironment, prepareHome, runEnvironment } from './environment.ts';
import { differencesOf, notAssertedIn } from './not-asserted.ts';
import { processesWithHome } from './processes.ts';
import { startService } from './service.ts';
import { holdServer } from './shared-server.ts';
import { type Carrier, DEFAULT_CASE_TIMEOUT_MS, type VerifyCase } from './verify-case.ts';

/** A daemon that does not answer must not block the following cases. */
const CLOSE_LIMIT_MS = 60_000;
/** Several agents start at once on few cores here, some of them slowly. */
const HANDSHAKE_MS = 180_000;

export interface CaseResult {
  agent: string;
  mode: string;
  carrier: Carrier;
  case: string;
  ok: boolean;
  ms: number;
  /** Its own folder: working directory, traces of its runs, and, if it failed, the requests to the model. */
  folder: string;
  /** What did not hold. */
  error?: string;
  /** Assertions that are switched off in a passed case. */
  notAsserted?: string[];
  /** The events of its runs, in short. */
  story?: string;
}

export interface CaseGroup {
  adapter: AgentAdapter;
  setup: AgentSetup;
  mode: AgentMode;
  cases: readonly VerifyCase[];
  /** An empty folder for this group only. */
  folder: string;
  /** PATH of the agent. */
  path: string;
  /** A folder of all groups of this agent, for files that its CLI unpacks only once. */
  warm?: string;
  openConfigured?: OpenConfigured;
  commands?: BenchCommands;
  /** Present: every run is a session of a daemon, which this connects to. Needs `commands`. */
  connect?: ConnectDaemon;
  onResult?: (result: CaseResult) => void;
}

/**
 * The cases that this mode of the agent must pass, by its declarations. `ofProject`: with those that only the project
 * itself runs.
 */
export function casesFor(
  adapter: AgentAdapter,
  mode: AgentMode,
  setup: AgentSetup,
  { ofProject = false, carrier = 'process' }: { ofProject?: boolean; carrier?: Carrier } = {},
): VerifyCase[] {
  const isDefault = modesOf(adapter)[0]?.name === mode.name;
  return verifyCases
    .filter((one) => (isDefault || one.ofAgent !== true) && (ofProject || one.ofProject !== true))
    .filter((one) => one.carrier === undefined || one.carrier === carrier)
    .filter((one) => one.needs(mode.capabilities, setup, adapter, quirksOf(setup, mode.name)));
}

/** One HOME, one model and one client for the group, a folder for each case, one case after the other. */
export async function runCases(group: CaseGroup): Promise<CaseResult[]> {
  const home = join(group.folder, 'home');
  const model = await startScriptedModel({ models: [group.setup.model.seen, group.setup.otherModel.seen] });
  const place = { modelUrl: model.url, home };
  prepareHome(group.setup, place, group.warm);
  const clean = cleanEnvironment(group.setup, place, group.path);
  const { service } = group.setup;
  const running = service ? await startService(service, clean, group.folder) : undefined;
  const env = { ...clean, ...(service && running ? service.envFor(running.url) : {}) };
  // After each case nothing may be left: a server that is kept for the next run would hide leftovers.
  const times = { idleTimeout: 0, handshakeTimeout: HANDSHAKE_MS };
  const options = { adapters: [group.adapter], env, runIndex: false, ...times } as const;
  const client = createClient(options);
  const daemon = await startDaemonOf(group, home, env);
  if (!daemon) await holdServer(group, model, client);
  const before = processesWithHome(home).filter(({ pid }) => pid !== daemon?.pid);
  const ignored = new Set(before.map(({ pid }) => pid));
  const shared = new Map<string, unknown>();
  const results: CaseResult[] = [];
  try {
    for (const one of group.cases) {
      const folder = join(group.folder, one.id);
      mkdirSync(folder, { recursive: true });
      const own = one.alone ? createClient(options) : undefined;
      const bench = new Bench({
        ...group,
        model,
        home,
        env,
        folder,
        ignored,
        shared,
        client: own ?? client,
        daemon,
        unasserted: one.unasserted,
      });
      const result = await runCase(one, bench);
      await own?.close();
      if (!result.ok) await daemon?.reset();
      results.push(result);
      group.onResult?.(result);
    }
  } finally {
    await daemon?.close();
    await client.close();
    await running?.stop();
    await model.close();
  }
  return results;
}

function startDaemonOf(
  { commands, connect, setup, warm, folder }: CaseGroup,
  home: string,
  env: Record<string, string>,
): Promise<DaemonCarrier> | undefined {
  if (!connect) return undefined;
  if (!commands) throw new Error('cases through the daemon need its command');
  const runEnv = runEnvironment(setup, warm);
  const config = join(home, '.config', 'agent-mux');
  mkdirSync(config, { recursive: true });
  writeFileSync(
    join(config, 'config.json'),
    JSON.stringify({ daemon: { handshakeTimeout: `${HANDSHAKE_MS / 1000}s` } }),
  );
  return DaemonCarrier.start({ command: commands.daemon, connect, home, env, runEnv, log: join(folder, 'daemon.log') });
}

async function runCase(one: VerifyCase, bench: Bench): Promise<CaseResult> {
  const started = performance.now();
  const about = {
    carrier: bench.carrier,
    agent: bench.agent,
    mode: bench.mode.name,
    case: one.id,
    folder: bench.folder,
  };
  const failures: string[] = [];
  try {
    await within(one.run(bench), (one.timeoutMs ?? DEFAULT_CASE_TIMEOUT_MS) * (bench.setup.patience ?? 1));
  } catch (error) {
    failures.push(messageOf(error));
  }
  const left = await within(bench.close(), CLOSE_LIMIT_MS).catch((error) => {
    failures.push(`the client could not be closed: ${messageOf(error)}`);
    return { processes: bench.allProcesses(), files: [] };
  });
  const names = [...left.processes.map(({ pid, command }) => `${pid} ${command}`), ...left.files];
  if (names.length > 0) failures.push(`left behind: ${names.join('; ')}`);
  for (const { pid } of left.processes) endQuietly(pid);
  const ms = Math.round(performance.now() - started);
  const notAsserted = notAssertedIn(one, differencesOf(bench.setup, bench.mode));
  if (failures.length === 0) return { ...about, ok: true, ms, ...(notAsserted.length > 0 ? { notAsserted } : {}) };
  // The requests to the model say more than any message.
  writeFileSync(join(bench.folder, 'model-requests.json'), JSON.stringify(bench.allRequests, null, 1));
  return { ...about, ok: false, ms, error: failures.join('\n'), story: bench.story };
}

function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new Error(`the case took longer than ${limitMs} ms`)), limitMs);
  work.catch(() => {});
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

function endQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited.
  }
}
