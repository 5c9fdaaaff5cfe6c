import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { projectConfigFile, userConfigFile } from '@agent-mux/core';
import type { Launch } from './protocol.ts';

/** They say in which window somebody sits, and where; no agent is another one for them. */
const OF_A_WINDOW =
  /^(?:PWD|OLDPWD|SHLVL|_|TERM.*|COLORTERM|COLUMNS|LINES|WINDOWID|GPG_TTY|SSH_(?:TTY|CLIENT|CONNECTION)|TMUX.*|STY|VSCODE_.*|ITERM_.*|KITTY_.*|WT_.*)$/;

/**
 * Two launches with the same digest can share a client: the same variables to choose from, the same configuration files with the
 * same content. What a keeper holds after it only keeps the digest, not the values.
 */
export function digestEnvironment({ hostEnv, options, trustProject }: Launch): string {
  const variables = Object.entries(hostEnv)
    .filter(([name]) => !OF_A_WINDOW.test(name))
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
