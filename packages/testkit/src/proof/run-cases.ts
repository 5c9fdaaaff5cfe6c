import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentAdapter, type AgentMode, createClient, messageOf, modesOf } from '@agent-mux/core';
import { startScriptedModel } from '../model/index.ts';
import { type AgentProof, quirksOf } from './agent-proof.ts';
import { Bench, type OpenConfigured, type OwnCommands } from './bench.ts';
import { ProofDaemon } from './carrier/proof-daemon.ts';
import type { ConnectDaemon } from './carrier/session-client.ts';
import { proofCases } from './cases/index.ts';
import { differencesOf, notAssertedIn } from './not-asserted.ts';
import { processesWithHome } from './processes.ts';
import { type Carrier, DEFAULT_CASE_TIMEOUT_MS, type ProofCase } from './proof-case.ts';
import { startService } from './service.ts';
import { keepServer } from './shared-server.ts';
import { cleanEnvironment, prepareHome, runEnvironment } from './surroundings.ts';

/** A daemon that does not answer must not hold up the cases after this one. */
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
  /** Its own: working folder, traces of its runs, and, when it failed, what the model was asked. */
  folder: string;
  /** What did not hold. */
  error?: string;
  /** What is switched off in a case that holds otherwise. */
  notAsserted?: string[];
  /** The events of its runs, in short. */
  story?: string;
}

export interface CaseGroup {
  adapter: AgentAdapter;
  proof: AgentProof;
  mode: AgentMode;
  cases: readonly ProofCase[];
  /** An empty folder that belongs to this group alone. */
  folder: string;
  /** PATH of the agent. */
  path: string;
  /** A folder of all groups of this agent, for what its CLI unpacks only once. */
  warm?: string;
  openConfigured?: OpenConfigured;
  commands?: OwnCommands;
  /** Present: every run is a session of a daemon, which this connects to. Needs `commands`. */
  connect?: ConnectDaemon;
  onResult?: (result: CaseResult) => void;
}

/** The cases that this mode of the agent must pass, by what it declares. `ofProject`: with those that only the project itself shows. */
export function casesFor(
  adapter: AgentAdapter,
  mode: AgentMode,
  proof: AgentProof,
  { ofProject = false, carrier = 'process' }: { ofProject?: boolean; carrier?: Carrier } = {},
): ProofCase[] {
  const isDefault = modesOf(adapter)[0]?.name === mode.name;
  return proofCases
    .filter((one) => (isDefault || one.ofAgent !== true) && (ofProject || one.ofProject !== true))
    .filter((one) => one.carrier === undefined || one.carrier === carrier)
    .filter((one) => one.needs(mode.capabilities, proof, adapter, quirksOf(proof, mode.name)));
}

/** One HOME, one model and one client for the group, a folder for each case, one case after the other. */
export async function runCases(group: CaseGroup): Promise<CaseResult[]> {
  const home = join(group.folder, 'home');
  const model = await startScriptedModel({ models: [group.proof.model.seen, group.proof.otherModel.seen] });
  const place = { modelUrl: model.url, home };
  prepareHome(group.proof, place, group.warm);
  const clean = cleanEnvironment(group.proof, place, group.path);
  const { service } = group.proof;
  const running = service ? await startService(service, clean, group.folder) : undefined;
  const env = { ...clean, ...(service && running ? service.envFor(running.url) : {}) };
  // After each case nothing may be left: a server that is kept for the next run would hide what is.
  const times = { idleTimeout: 0, handshakeTimeout: HANDSHAKE_MS };
  const options = { adapters: [group.adapter], env, runIndex: false, ...times } as const;
  const client = createClient(options);
  const daemon = await startDaemonOf(group, home, env);
  if (!daemon) await keepServer(group, model, client);
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
  { commands, connect, proof, warm, folder }: CaseGroup,
  home: string,
  env: Record<string, string>,
): Promise<ProofDaemon> | undefined {
  if (!connect) return undefined;
  if (!commands) throw new Error('cases through the daemon need its command');
  const runEnv = runEnvironment(proof, warm);
  const config = join(home, '.config', 'agent-mux');
  mkdirSync(config, { recursive: true });
  writeFileSync(
    join(config, 'config.json'),
    JSON.stringify({ daemon: { handshakeTimeout: `${HANDSHAKE_MS / 1000}s` } }),
  );
  return ProofDaemon.start({ command: commands.daemon, connect, home, env, runEnv, log: join(folder, 'daemon.log') });
}

async function runCase(one: ProofCase, bench: Bench): Promise<CaseResult> {
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
    await within(one.run(bench), (one.timeoutMs ?? DEFAULT_CASE_TIMEOUT_MS) * (bench.proof.patience ?? 1));
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
  const notAsserted = notAssertedIn(one, differencesOf(bench.proof, bench.mode));
  if (failures.length === 0) return { ...about, ok: true, ms, ...(notAsserted.length > 0 ? { notAsserted } : {}) };
  // What the model was asked says more than any message.
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
    // Gone by itself.
  }
}
