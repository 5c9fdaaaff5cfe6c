import { join } from 'node:path';
import type { DaemonCommand } from '@agent-mux/testkit/chaos';

const MAIN = join(import.meta.dirname, '../../packages/daemon/src/main.ts');

/** The daemon as a process of its own, from the sources. */
export function daemonCommand(): DaemonCommand {
  return { command: process.execPath, args: ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning', MAIN] };
}
