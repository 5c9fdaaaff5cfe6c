import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, isAbsolute } from 'node:path';

/** Maximum stderr to keep; the rest is dropped. */
const STDERR_BYTES = 4_000;
/** Default for stdout. Git is ended if it prints more, and the answer has `isCut`. */
const STDOUT_BYTES = 16 * 1024 * 1024;
/** Default time limit of a command. Git and its children are killed after it. */
const LIMIT_MS = 60_000;
/** Maximum allocation of git: a forged object header could request any size. */
const LARGEST_ALLOCATION = '2g';
const KEPT_VARIABLES = ['HOME', 'USERPROFILE', 'SystemRoot', 'TMPDIR', 'TEMP', 'TMP', 'XDG_CONFIG_HOME'];

export interface GitCall {
  cwd: string;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  input?: string;
  maxBytes?: number;
  limitMs?: number;
  signal?: AbortSignal;
}

export interface GitAnswer {
  /** Null: git was killed or could not be started. */
  code: number | null;
  out: Buffer;
  error: string;
  /** Git printed more than `maxBytes` and was ended. */
  isCut: boolean;
}

/**
 * The only function that starts git. Passes only the environment variables git needs (so no GIT_* of an outer git
 * command), never prompts, and enforces a time limit.
 */
export async function runGit(call: GitCall): Promise<GitAnswer> {
  const { cwd, args, env = {}, input = '', maxBytes = STDOUT_BYTES, limitMs = LIMIT_MS } = call;
  const limit = AbortSignal.timeout(limitMs);
  const signal = call.signal ? AbortSignal.any([call.signal, limit]) : limit;
  if (signal.aborted) return failed('git was not started: the time is up');
  const ownGroup = process.platform !== 'win32';
  const child = spawn('git', ['--no-pager', ...args], {
    cwd,
    env: { ...bareEnv(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    // A filter that the user allowed is a child of git, and must end with it.
    detached: ownGroup,
  });
  const end = () => {
    try {
      if (ownGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      else child.kill('SIGKILL');
    } catch {
      // The process has already exited.
    }
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    const closed = once(child, 'close');
    // Git may exit before it has read its input.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const parts: Buffer[] = [];
    let bytes = 0;
    let isCut = false;
    child.stdout.on('data', (part: Buffer) => {
      if (isCut) return;
      parts.push(part);
      bytes += part.length;
      if (bytes <= maxBytes) return;
      isCut = true;
      end();
    });
    let error = '';
    child.stderr.on('data', (part: Buffer) => {
      if (error.length < STDERR_BYTES) error += part.toString('utf8');
    });
    await closed;
    const late = signal.aborted ? `git ${args[0]} took too long and was ended` : '';
    return {
      code: signal.aborted ? null : child.exitCode,
      out: Buffer.concat(parts).subarray(0, maxBytes),
      error: late || error.trim(),
      isCut,
    };
  } catch (error) {
    return failed(`git could not be started: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function failed(error: string): GitAnswer {
  return { code: null, out: Buffer.alloc(0), error, isCut: false };
}

function bareEnv(): Record<string, string> {
  const kept = KEPT_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(kept),
    // A relative entry would find a program in the repository itself.
    PATH: (process.env.PATH ?? '')
      .split(delimiter)
      .filter((entry) => isAbsolute(entry))
      .join(delimiter),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_EDITOR: ':',
    GIT_PAGER: 'cat',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_ALLOC_LIMIT: LARGEST_ALLOCATION,
  };
}
