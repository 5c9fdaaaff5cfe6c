import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { projectConfigFile, userConfigFile } from '@agent-mux/core';
import type { LaunchSpec } from './protocol.ts';

/** Variables that describe the user's terminal window. They do not affect the agent. */
const TERMINAL_VARIABLES =
  /^(?:PWD|OLDPWD|SHLVL|_|TERM.*|COLORTERM|COLUMNS|LINES|WINDOWID|GPG_TTY|SSH_(?:TTY|CLIENT|CONNECTION)|TMUX.*|STY|VSCODE_.*|ITERM_.*|KITTY_.*|WT_.*)$/;

/**
 * Launches with the same digest can share a client: same variables, same configuration files with the same content. A
 * keeper stores only the digest, not the values.
 */
export function digestEnvironment({ hostEnv, options, trustProject }: LaunchSpec): string {
  const variables = Object.entries(hostEnv)
    .filter(([name]) => !TERMINAL_VARIABLES.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const cwd = typeof options.cwd === 'string' ? options.cwd : '/';
  const files = [userConfigFile(hostEnv), projectConfigFile(cwd)].map((file) => file && [file, stampOf(file)]);
  const text = JSON.stringify({ variables, files, trustProject });
  return createHash('sha256').update(text).digest('hex');
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : '';
}
