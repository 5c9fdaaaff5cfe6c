import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import { formatDuration } from '../duration.ts';
import { registerLaunch } from '../process/reaper.ts';
import { LAUNCH_VARIABLE, readProcessOrigin, terminateProcessTree } from '../process/terminate.ts';
import { messageOf } from '../values.ts';

/** A CLI that has not printed its version by then is ended: several wait for a network or a terminal. */
const VERSION_TIMEOUT_MS = 10_000;
/** Maximum number of output characters to inspect. */
const OUTPUT_LIMIT = 64 * 1024;

export interface VersionRequest {
  /** An absolute path, as returned by `lookupBinary`. */
  command: string;
  args?: readonly string[];
  env: Record<string, string>;
  timeoutMs?: number;
  /** Ends the command. */
  signal?: AbortSignal;
}

export interface VersionAnswer {
  /**
   * From stdout regardless of the exit code, since several CLIs print it and fail; from stderr only with exit code 0.
   */
  version: string | null;
  /** Why the command could not be run, failed or did not end; human-readable. */
  problem?: string;
}

/** The version that `<command> --version` prints, or null. Never rejects; leaves no process behind. */
export async function readVersion(request: VersionRequest): Promise<string | null> {
  return (await askVersion(request)).version;
}

/** The same with the problem, if any. */
export function askVersion(request: VersionRequest): Promise<VersionAnswer> {
  const { command, args = ['--version'], env, timeoutMs = VERSION_TIMEOUT_MS, signal } = request;
  const line = [basename(command), ...args].join(' ');
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve({ version: null });
      return;
    }
    // Ends with this process, whatever the reason.
    const launch = registerLaunch('version');
    let output = '';
    let stdout = '';
    let tooLate: string | undefined;
    const finish = (failure?: string) => {
      const problem = tooLate ?? failure;
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      launch.over();
      // A failure on stderr may name another program's version ("needs node 22.1.0").
      const version = parseVersion(failure === undefined ? output : stdout);
      resolve({ version, ...(problem === undefined || signal?.aborted ? {} : { problem }) });
    };
    let end = () => Promise.resolve();
    const timer = setTimeout(() => {
      tooLate = `"${line}" did not end within ${formatDuration(timeoutMs)}`;
      void end().then(() => finish());
    }, timeoutMs);
    const fail = (error: unknown) => finish(`"${line}" could not be run: ${messageOf(error)}`);
    try {
      const child = start(command, args, { ...env, [LAUNCH_VARIABLE]: launch.mark });
      child.on('error', fail);
      if (child.pid === undefined) return;
      const { pid } = child;
      const origin = readProcessOrigin(pid);
      launch.started(pid, origin);
      const exited = () => child.exitCode !== null || child.signalCode !== null;
      end = async () => {
        const leader = { pid, mark: `${LAUNCH_VARIABLE}=${launch.mark}`, exited, origin };
        await terminateProcessTree(leader, { first: 'SIGKILL', graceMs: 500 });
        // Does not wait for an escaped process that holds the pipes.
        child.stdout.destroy();
        child.stderr.destroy();
      };
      signal?.addEventListener('abort', end);
      const collect = (chunk: string) => {
        if (output.length < OUTPUT_LIMIT) output += chunk;
      };
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        if (stdout.length < OUTPUT_LIMIT) stdout += chunk;
        collect(chunk);
      });
      child.stderr.setEncoding('utf8').on('data', collect);
      child.on('close', (code, by) => {
        const lastLine = output.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
        const how = by === null ? `with code ${code}` : `by ${by}`;
        finish(code === 0 ? undefined : `"${line}" ended ${how}${lastLine && `: ${lastLine}`}`);
      });
    } catch (error) {
      fail(error);
    }
  });
}

function start(command: string, args: readonly string[], env: Record<string, string>) {
  // Node starts a .cmd or .bat only through a shell.
  const shell = process.platform === 'win32' && /\.(cmd|bat)$/i.test(command);
  return spawn(shell ? `"${command}" ${args.join(' ')}` : command, shell ? [] : args, {
    env,
    shell,
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
}

const LABELS = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*';
const VERSION = new RegExp(`(?<![\\w.])v?(\\d+\\.\\d+\\.\\d+(?:-${LABELS})?(?:\\+${LABELS})?)(?!\\.?\\d)`);
const SHORT_VERSION = /(?<![\w.])v?(\d+\.\d+)(?!\.?\d)/;

/** The first version in any output; `1.2` becomes `1.2.0`. */
export function parseVersion(text: string): string | null {
  const full = VERSION.exec(text)?.[1];
  if (full) return full;
  const short = SHORT_VERSION.exec(text)?.[1];
  return short ? `${short}.0` : null;
}

/** Negative, zero or positive as `a` is older than, the same as or newer than `b`; semver, with prereleases. */
export function compareVersions(a: string, b: string): number {
  const left = splitVersion(a);
  const right = splitVersion(b);
  for (let i = 0; i < 3; i += 1) {
    const difference = (left.numbers[i] ?? 0) - (right.numbers[i] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return comparePrereleases(left.prerelease, right.prerelease);
}

function splitVersion(version: string): { numbers: number[]; prerelease: string[] } {
  const [release = ''] = version.trim().replace(/^v/, '').split('+');
  const dash = release.indexOf('-');
  const numbers = (dash < 0 ? release : release.slice(0, dash))
    .split('.')
    .map((part) => Number.parseInt(part, 10) || 0);
  return { numbers, prerelease: dash < 0 ? [] : release.slice(dash + 1).split('.') };
}

function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return Math.sign(b.length - a.length);
  for (let i = 0; i < Math.max(a.length, b.length); i += 1) {
    const [left, right] = [a[i], b[i]];
    if (left === undefined) return -1;
    if (right === undefined) return 1;
    if (left === right) continue;
    const [leftIsNumber, rightIsNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)];
    if (leftIsNumber && rightIsNumber) return Math.sign(Number(left) - Number(right));
    if (leftIsNumber !== rightIsNumber) return leftIsNumber ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return 0;
}
