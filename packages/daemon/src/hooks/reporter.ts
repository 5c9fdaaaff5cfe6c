/** `amux hooks <agent> <event> [session]` as a program: started with every step of an agent, and loaded before anything else. */
import { report, timeOfCall } from './report.ts';

try {
  // When this process was started, not by `performance`, which takes a millisecond to load.
  const startedAt = Date.now() - process.uptime() * 1000;
  const isStuck = await report(process.argv.slice(3), process.env, timeOfCall(process.env, startedAt));
  if (isStuck) becomeNothing();
} catch {
  // Whatever it was, the agent goes on.
}
process.exit(0);

/** `process.exit` waits for the threads of this process, and one of them waits for an input that never ends. */
function becomeNothing(): void {
  // It is an experiment of node's, which would say so.
  process.emitWarning = () => {};
  process.execve?.('/bin/sh', ['sh', '-c', ':'], {});
}
