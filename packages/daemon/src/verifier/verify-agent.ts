import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { VerifyCase, VerifyResult } from '@agent-mux/api/schemas';
import { RUN_ID_VARIABLE, terminateProcessTree } from '@agent-mux/core';
import { DaemonError, type DaemonErrorCode } from '../daemon-error.ts';
import { compileCache } from '../node-options.ts';
import { VerifierMessageSchema, type VerifierRequestSchema } from './protocol.ts';

const CODES: Readonly<Record<string, DaemonErrorCode>> = {
  AGENT_NOT_INSTALLED: 'AGENT_NOT_INSTALLED',
  UNKNOWN_AGENT: 'NOT_FOUND',
};
const STDERR_CHARS = 2_000;

export interface VerifyPlan {
  /** Installed version. */
  version: string | null;
  /** In execution order. */
  cases: readonly VerifyCase[];
}

interface VerifyContext {
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}

/** The cases that would run against the installed CLI. */
export async function planAgentVerification(agent: string, context: VerifyContext): Promise<VerifyPlan> {
  let plan: VerifyPlan = { version: null, cases: [] };
  await runVerifier({ do: 'plan', agent }, context, (line) => {
    if (line.type === 'plan') plan = line;
  });
  return plan;
}

/** Runs the cases one by one. The signal ends all started processes. */
export async function verifyAgent(
  agent: string,
  context: VerifyContext & { onResult(setup: VerifyResult): void },
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'amux-verify-'));
  let hasFailed = false;
  try {
    await runVerifier({ do: 'verify', agent, folder }, context, (line) => {
      if (line.type !== 'result') return;
      hasFailed ||= line.setup.status === 'failed';
      context.onResult(line.setup);
    });
  } finally {
    // Failures refer to the folder for analysis, so it is kept unless the verification was cancelled.
    if (!hasFailed || context.signal?.aborted === true)
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function runVerifier(
  request: VerifierRequestSchema,
  { env, signal }: VerifyContext,
  onMessage: (line: VerifierMessageSchema) => void,
): Promise<void> {
  signal?.throwIfAborted();
  const main = fileURLToPath(import.meta.resolve('#verifier'));
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
  // The process may exit before it reads the request.
  child.stdin.on('error', () => {});
  child.stdin.write(`${JSON.stringify(request)}\n`);
  let failure: Extract<VerifierMessageSchema, { type: 'error' }> | undefined;
  createInterface({ input: child.stdout }).on('line', (text) => {
    const { data } = VerifierMessageSchema.safeParse(parse(text));
    if (data?.type === 'error') failure = data;
    else if (data) onMessage(data);
  });
  let hasEnded = false;
  const end = () => {
    if (child.pid === undefined || hasEnded) return;
    void terminateProcessTree({ pid: child.pid, mark: `${RUN_ID_VARIABLE}=${mark}`, exited: () => hasEnded });
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
    if (failure) throw new DaemonError(CODES[failure.code] ?? 'AGENT_ERROR', failure.message, { hint: failure.hint });
    if (code !== 0) throw new DaemonError('AGENT_ERROR', `the verifier exited with ${code}: ${stderr.trim()}`);
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
