import { execFile } from 'node:child_process';
import { DaemonError } from '../daemon-error.ts';

const LIMIT_MS = 60_000;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * The repository is somebody's: none of its hooks, monitors or drivers is run. Variables of another git command that this
 * process may have been started by would lead to another repository.
 */
const HARMLESS = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'protocol.ext.allow=never'];

export interface GitResult {
  ok: boolean;
  stdout: string;
  stderr: string;
}

/** Never asks anybody anything. Resolves also where git says no. */
export function tryGit(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<GitResult> {
  const { PATH = '', HOME = '', TMPDIR, XDG_CONFIG_HOME } = process.env;
  const clean = { PATH, HOME, ...(TMPDIR ? { TMPDIR } : {}), ...(XDG_CONFIG_HOME ? { XDG_CONFIG_HOME } : {}) };
  return new Promise((resolve) => {
    execFile(
      'git',
      ['-C', cwd, ...HARMLESS, ...args],
      {
        env: { ...clean, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C', ...env },
        timeout: LIMIT_MS,
        maxBuffer: MAX_BYTES,
        windowsHide: true,
      },
      (error, stdout, stderr) => resolve({ ok: error === null, stdout, stderr: stderr || (error?.message ?? '') }),
    );
  });
}

export async function git(
  cwd: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<string> {
  const { ok, stdout, stderr } = await tryGit(cwd, args, env);
  if (ok) return stdout.trim();
  throw new DaemonError('WORKSPACE_ERROR', `git ${args[0]}: ${stderr.trim().slice(0, 500)}`, {
    hint: `look at ${cwd} with git`,
  });
}
