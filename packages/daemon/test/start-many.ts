/** A separate process that needs the daemon and prints the pid of the one it got. */
import { ensureDaemon } from '@agent-mux/daemon/start';

const { pid } = await ensureDaemon(process.env, { command: process.argv.slice(2) });
process.stdout.write(`${pid}`);
