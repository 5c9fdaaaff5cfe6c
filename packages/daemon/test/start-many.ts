/** A process of its own that needs the daemon: prints which one it got. */
import { ensureDaemon } from '@agent-mux/daemon/start';

const { pid } = await ensureDaemon(process.env, { command: process.argv.slice(2) });
process.stdout.write(`${pid}`);
