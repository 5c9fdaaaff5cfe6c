import { join } from 'node:path';
import type { DaemonCommand } from '@agent-mux/testkit/chaos';

const PACKAGE = join(import.meta.dirname, '../../packages/daemon');

/** The daemon as a process of its own: as it was built, which is what people run, or from the sources. */
export function daemonCommand(isBuilt: boolean): DaemonCommand {
  const flags = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning'];
  const args = isBuilt ? [join(PACKAGE, 'dist/main.js')] : [...flags, join(PACKAGE, 'src/main.ts')];
  return { command: process.execPath, args };
}
