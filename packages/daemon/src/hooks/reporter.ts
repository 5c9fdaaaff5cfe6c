/** `amux hooks <agent> <event> [session]` as a program: started with every step of an agent, and loaded before anything else. */
import { report, timeOfCall } from './report.ts';

try {
  // When this process was started, not by `performance`, which takes a millisecond to load.
  const startedAt = Date.now() - process.uptime() * 1000;
  await report(process.argv.slice(3), process.env, timeOfCall(process.env, startedAt));
} catch {
  // Whatever it was, the agent goes on.
}
process.exit(0);
