import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Of what git says went wrong. */
const STDERR_BYTES = 4_000;

export interface GitCall {
  cwd: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  input?: string;
  maxBytes: number;
  signal: AbortSignal;
}

export interface GitAnswer {
  code: number | null;
  out: Buffer;
  error: string;
  /** It had more to say than was asked for, and was ended. */
  isCut: boolean;
}

/** Git with nothing of our environment but what it cannot do without, and nobody to ask anything. */
export async function runGit({ cwd, args, env = {}, input, maxBytes, signal }: GitCall): Promise<GitAnswer> {
  const child = spawn('git', ['--no-pager', ...args], {
    cwd,
    env: { ...bareEnv(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    signal,
    killSignal: 'SIGKILL',
  });
  const closed = once(child, 'close');
  // It may end before it has read its input.
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  const parts: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  child.stdout.on('data', (part: Buffer) => {
    if (isCut) return;
    parts.push(part);
    bytes += part.length;
    if (bytes <= maxBytes) return;
    isCut = true;
    child.kill('SIGKILL');
  });
  let error = '';
  child.stderr.on('data', (part: Buffer) => {
    if (error.length < STDERR_BYTES) error += part.toString('utf8');
  });
  await closed;
  return { code: child.exitCode, out: Buffer.concat(parts).subarray(0, maxBytes), error: error.trim(), isCut };
}

function bareEnv(): Record<string, string> {
  const kept = ['PATH', 'HOME', 'USERPROFILE', 'SystemRoot', 'TMPDIR', 'TEMP', 'TMP'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_LITERAL_PATHSPECS: '1',
  };
}
