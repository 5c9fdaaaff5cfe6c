import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homeOf, isRecord, RUN_ID_VARIABLE, redactSecrets, secretsOf, terminateFamily } from '@agent-mux/core';
import { toLine } from '../activity/last-line.ts';
import { SendError } from './send-error.ts';

/** A program that takes longer is ended with all that it has started. */
const PROGRAM_TIMEOUT_MS = 30_000;
const STDERR_CHARS = 2_000;

export interface Program {
  argv: readonly string[];
  /** What it reads from stdin. */
  input: string;
  /** Marks all that it starts. */
  mark: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  timeoutMs?: number | undefined;
}

/** Never by a shell: what is in an argument stays in it. Resolves when it has ended well. */
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
  // It may end before it has read its input.
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
    void terminateFamily({ pid: child.pid, mark: `${RUN_ID_VARIABLE}=${mark}`, exited: () => hasEnded });
  };
  if (over.aborted) kill();
  over.addEventListener('abort', kill, { once: true });
  try {
    const { code, by } = await ended;
    if (limit.aborted) throw new SendError('TIMEOUT', `${program} took too long, and was ended`);
    if (code === 0) return;
    const words = toLine(redactSecrets(stderr, secretsOf(env)));
    const how = code === null ? `was ended by ${by}` : `ended with ${code}`;
    throw new SendError('PROGRAM_FAILED', `${program} ${how}${words === '' ? '' : `: ${words}`}`);
  } catch (error) {
    if (isRecord(error) && error.code === 'ENOENT') throw new SendError('NOT_FOUND', `there is no program ${program}`);
    if (isRecord(error) && error.code === 'EACCES') throw new SendError('NOT_FOUND', `${program} cannot be run`);
    throw error;
  } finally {
    over.removeEventListener('abort', kill);
    child.stderr.destroy();
  }
}
