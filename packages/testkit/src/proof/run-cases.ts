import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentAdapter, type AgentMode, createClient, messageOf, modesOf } from '@agent-mux/core';
import { startScriptedModel } from '../model/index.ts';
import { type AgentProof, quirksOf } from './agent-proof.ts';
import { Bench, type OpenConfigured, type OwnCommands } from './bench.ts';
import { proofCases } from './cases/index.ts';
import { processesWithHome } from './processes.ts';
import { DEFAULT_CASE_TIMEOUT_MS, type ProofCase } from './proof-case.ts';
import { startService } from './service.ts';
import { keepServer } from './shared-server.ts';
import { cleanEnvironment, prepareHome } from './surroundings.ts';

export interface CaseResult {
  agent: string;
  mode: string;
  case: string;
  ok: boolean;
  ms: number;
  /** Its own: working folder, traces of its runs, and, when it failed, what the model was asked. */
  folder: string;
  /** What did not hold. */
  error?: string;
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
  onResult?: (result: CaseResult) => void;
}

/** The cases that this mode of the agent must pass, by what it declares. `ofProject`: with those that only the project itself shows. */
export function casesFor(
  adapter: AgentAdapter,
  mode: AgentMode,
  proof: AgentProof,
  { ofProject = false } = {},
): ProofCase[] {
  const isDefault = modesOf(adapter)[0]?.name === mode.name;
  return proofCases
    .filter((one) => (isDefault || one.ofAgent !== true) && (ofProject || one.ofProject !== true))
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
  // Several agents start at once on few cores here, some of them slowly.
  const times = { idleTimeout: 0, handshakeTimeout: 180_000 };
  const options = { adapters: [group.adapter], env, runIndex: false, ...times } as const;
  const client = createClient(options);
  await keepServer(group, model, client);
  const ignored = new Set(processesWithHome(home).map(({ pid }) => pid));
  const shared = new Map<string, unknown>();
  const results: CaseResult[] = [];
  try {
    for (const one of group.cases) {
      const folder = join(group.folder, one.id);
      mkdirSync(folder, { recursive: true });
      const own = one.alone ? createClient(options) : undefined;
      const bench = new Bench({ ...group, model, home, env, folder, ignored, shared, client: own ?? client });
      const result = await runCase(one, bench);
      await own?.close();
      results.push(result);
      group.onResult?.(result);
    }
  } finally {
    await client.close();
    await running?.stop();
    await model.close();
  }
  return results;
}

async function runCase(one: ProofCase, bench: Bench): Promise<CaseResult> {
  const started = performance.now();
  const about = { agent: bench.agent, mode: bench.mode.name, case: one.id, folder: bench.folder };
  const failures: string[] = [];
  try {
    await within(one.run(bench), (one.timeoutMs ?? DEFAULT_CASE_TIMEOUT_MS) * (bench.proof.patience ?? 1));
  } catch (error) {
    failures.push(messageOf(error));
  }
  const left = await bench.close().catch((error) => {
    failures.push(`the client could not be closed: ${messageOf(error)}`);
    return [];
  });
  if (left.length > 0) {
    failures.push(`left behind: ${left.map(({ pid, command }) => `${pid} ${command}`).join('; ')}`);
    for (const { pid } of left) endQuietly(pid);
  }
  const ms = Math.round(performance.now() - started);
  if (failures.length === 0) return { ...about, ok: true, ms };
  // What the model was asked says more than any message.
  writeFileSync(join(bench.folder, 'model-requests.json'), JSON.stringify(bench.allRequests, null, 1));
  return { ...about, ok: false, ms, error: failures.join('\n'), story: bench.story };
}

function within(work: Promise<void>, limitMs: number): Promise<void> {
  const { promise, reject } = Promise.withResolvers<void>();
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
