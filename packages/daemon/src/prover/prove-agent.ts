import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Proof, ProofCase } from '@agent-mux/api/schemas';
import { RUN_ID_VARIABLE, terminateFamily } from '@agent-mux/core';
import { DaemonError, type DaemonErrorCode } from '../daemon-error.ts';
import { compileCache } from '../node-options.ts';
import { ProverLine, type ProverOrder } from './orders.ts';

const CODES: Readonly<Record<string, DaemonErrorCode>> = {
  AGENT_NOT_INSTALLED: 'AGENT_NOT_INSTALLED',
  UNKNOWN_AGENT: 'NOT_FOUND',
};
const STDERR_CHARS = 2_000;

export interface ProofPlan {
  /** That is installed. */
  version: string | null;
  /** In the order in which they are tried. */
  cases: readonly ProofCase[];
}

interface Around {
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}

/** What would be tried with the CLI that is installed here. */
export async function planAgentProof(agent: string, around: Around): Promise<ProofPlan> {
  let plan: ProofPlan = { version: null, cases: [] };
  await runProver({ do: 'plan', agent }, around, (line) => {
    if (line.type === 'plan') plan = line;
  });
  return plan;
}

/** Tries it, case by case. The signal ends it with all that it has started. */
export async function proveAgent(agent: string, around: Around & { onProof(proof: Proof): void }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'amux-verify-'));
  let hasFailed = false;
  try {
    await runProver({ do: 'prove', agent, folder }, around, (line) => {
      if (line.type !== 'proof') return;
      hasFailed ||= line.proof.status === 'failed';
      around.onProof(line.proof);
    });
  } finally {
    // What failed is named with its folder, for whoever wants to know why; whoever stops it does not.
    if (!hasFailed || around.signal?.aborted === true)
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function runProver(order: ProverOrder, { env, signal }: Around, take: (line: ProverLine) => void): Promise<void> {
  signal?.throwIfAborted();
  const main = fileURLToPath(import.meta.resolve('#prover'));
  const flags = main.endsWith('.ts') ? ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning'] : [];
  const mark = randomUUID();
  const child = spawn(process.execPath, [...flags, main], {
    detached: true,
    env: { ...compileCache(env), ...env, [RUN_ID_VARIABLE]: mark },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  let stderr = '';
  child.stderr.on('data', (part: Buffer) => {
    stderr = `${stderr}${part.toString('utf8')}`.slice(-STDERR_CHARS);
  });
  // It may be gone before it has read its order.
  child.stdin.on('error', () => {});
  child.stdin.write(`${JSON.stringify(order)}\n`);
  let fault: Extract<ProverLine, { type: 'fault' }> | undefined;
  createInterface({ input: child.stdout }).on('line', (text) => {
    const { data } = ProverLine.safeParse(parse(text));
    if (data?.type === 'fault') fault = data;
    else if (data) take(data);
  });
  let hasEnded = false;
  const end = () => {
    if (child.pid === undefined || hasEnded) return;
    void terminateFamily({ pid: child.pid, mark: `${RUN_ID_VARIABLE}=${mark}`, exited: () => hasEnded });
  };
  signal?.addEventListener('abort', end, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', () => {
        hasEnded = true;
      });
      child.once('close', resolve);
    });
    signal?.throwIfAborted();
    if (fault) throw new DaemonError(CODES[fault.code] ?? 'AGENT_ERROR', fault.message, { hint: fault.hint });
    if (code !== 0) throw new DaemonError('AGENT_ERROR', `the prover ended with ${code}: ${stderr.trim()}`);
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
