import { isAbsolute, join } from 'node:path';
import { homeOf } from './paths.ts';

/** Folder for data that belongs to no project: `$XDG_STATE_HOME/agent-mux` or `~/.local/state/agent-mux`. */
export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  const xdg = env.XDG_STATE_HOME;
  return join(xdg && isAbsolute(xdg) ? xdg : join(homeOf(env), '.local', 'state'), 'agent-mux');
}
