/**
 * `amux hooks <agent> <event> [session]` as a program. It runs at every step of an agent, so it loads as little as
 * possible.
 */
import { report, timeOfCall } from './report.ts';

try {
  // Start time of this process, without `performance`, which takes a millisecond to load.
  const startedAt = Date.now() - process.uptime() * 1000;
  const isStuck = await report(process.argv.slice(3), process.env, timeOfCall(process.env, startedAt));
  if (isStuck) replaceProcess();
} catch {
  // The agent must not notice any failure.
}
process.exit(0);

/** `process.exit` waits for the threads of this process, and one of them waits for an input that never ends. */
function replaceProcess(): void {
  // execve is experimental and would print a warning.
  process.emitWarning = () => {};
  process.execve?.('/bin/sh', ['sh', '-c', ':'], {});
}
