import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { AgentMuxError } from '@agent-mux/core/light';

/** Folders that npm and npx put on the PATH of what they start, and that are gone from it afterwards. */
const PASSING = /[\\/]node_modules[\\/]\.bin[\\/]?$/;

/**
 * Hooks call `amux` by its name, so that a workspace can be copied to another machine. Without one on the PATH the agent would
 * print an error at every step. `lasting`: also in a terminal that is opened later.
 */
export function requireAmuxOnPath(env: NodeJS.ProcessEnv, { lasting }: { lasting: boolean }): void {
  const names = process.platform === 'win32' ? ['amux.cmd', 'amux.exe', 'amux'] : ['amux'];
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const usable = folders.filter((folder) => !lasting || !PASSING.test(folder));
  if (usable.some((folder) => names.some((name) => isExecutable(join(folder, name))))) return;
  throw new AgentMuxError('CONFIG_ERROR', 'hooks call the command "amux", which is not on your PATH', {
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
