import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { AgentMuxError } from '@agent-mux/core/light';

/** Folders that npm and npx add to PATH only for the programs they start. */
const PASSING = /[\\/]node_modules[\\/]\.bin[\\/]?$/;

/**
 * Asserts that `amux` is on PATH: hooks call it by name, so that a workspace can be copied to another machine. Without it, the
 * agent would print an error at every step. `lasting`: must also hold in terminals opened later.
 */
export function requireAmuxOnPath(env: NodeJS.ProcessEnv, { lasting }: { lasting: boolean }): void {
  const names = process.platform === 'win32' ? ['amux.cmd', 'amux.exe', 'amux'] : ['amux'];
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const usable = folders.filter((folder) => !lasting || !PASSING.test(folder));
  if (usable.some((folder) => names.some((name) => isExecutable(join(folder, name))))) return;
  throw new AgentMuxError('CONFIG_ERROR', 'hooks need the "amux" command, which is not on your PATH', {
    hint: 'install it with "npm install -g agent-mux" (or "npm link" in a clone), then run this command again',
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
