import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homeOf, isRecord, RUN_ID_VARIABLE, redactSecrets, secretsOf, terminateProcessTree } from '@agent-mux/core';
import { toLine } from '../activity/status-text.ts';
import { SendError } from './send-error.ts';

/** A program that takes longer is terminated together with its process tree. */
const PROGRAM_TIMEOUT_MS = 30_000;
const STDERR_CHARS = 2_000;

export interface Program {
  argv: readonly string[];
  /** What it reads from stdin. */
  input: string;
  /** Marks the processes that it starts. */
  mark: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  timeoutMs?: number | undefined;
}

/** Runs without a shell, so arguments are never interpreted. Resolves on exit code 0. */
export async function runProgram({ argv, input, mark, env, signal, timeoutMs }: Program): Promise<void> {
  const [program = '', ...args] = argv;
  const limit = AbortSignal.timeout(timeoutMs ?? PROGRAM_TIMEOUT_MS);
  const child = spawn(program, args, {
    cwd: existsSync(homeOf(env)) ? homeOf(env) : '/',
    env: { ...env, [RUN_ID_VARIABLE]: mark },
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
    windowsHide: true,
  });
  let stderr = '';
  child.stderr.on('data', (part: Buffer) => {
    if (stderr.length < STDERR_CHARS) stderr += part.toString('utf8');
  });
  // The program may exit before it has read its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  let hasEnded = false;
  const ended = new Promise<{ code: number | null; by: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, by) => {
      hasEnded = true;
      resolve({ code, by });
    });
  });
  const over = AbortSignal.any([signal, limit]);
  const kill = () => {
    if (child.pid === undefined || hasEnded) return;
    void terminateProcessTree({ pid: child.pid, mark: `${RUN_ID_VARIABLE}=${mark}`, exited: () => hasEnded });
  };
  if (over.aborted) kill();
  over.addEventListener('abort', kill, { once: true });
  try {
    const { code, by } = await ended;
    if (limit.aborted) throw new SendError('TIMEOUT', `${program} timed out and was terminated`);
    if (code === 0) return;
    const output = toLine(redactSecrets(stderr, secretsOf(env)));
    const how = code === null ? `was killed by ${by}` : `exited with code ${code}`;
    throw new SendError('PROGRAM_FAILED', `${program} ${how}${output === '' ? '' : `: ${output}`}`);
  } catch (error) {
    if (isRecord(error) && error.code === 'ENOENT') throw new SendError('NOT_FOUND', `program not found: ${program}`);
    if (isRecord(error) && error.code === 'EACCES')
      throw new SendError('NOT_FOUND', `program not executable: ${program}`);
    throw error;
  } finally {
    over.removeEventListener('abort', kill);
    child.stderr.destroy();
  }
}
