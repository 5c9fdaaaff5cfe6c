import { join } from 'node:path';
import type { DaemonCommand } from '@agent-mux/testkit/chaos';

const PACKAGES = join(import.meta.dirname, '../../packages');
const FLAGS = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning'];

/** Command of a daemon process: the built one, or from the sources. */
export function daemonCommand(isBuilt: boolean): DaemonCommand {
  const args = isBuilt ? [join(PACKAGES, 'daemon/dist/main.js')] : [...FLAGS, join(PACKAGES, 'daemon/src/main.ts')];
  return { command: process.execPath, args };
}

/** What people type: it starts a daemon where there is none. */
export function amuxCommand(isBuilt: boolean, ...typed: string[]): DaemonCommand {
  const args = isBuilt ? [join(PACKAGES, 'agent-mux/bin/amux.js')] : [...FLAGS, join(PACKAGES, 'cli/src/main.ts')];
  return { command: process.execPath, args: [...args, ...typed] };
}
