/** `amux hooks <agent> <event> [session]` as a program: started with every step of an agent, and loaded before anything else. */
import { report } from './report.ts';

try {
  // The time at which this process was started is the nearest to what it tells. Not by `performance`, which takes a millisecond to load.
  await report(process.argv.slice(3), process.env, Date.now() - process.uptime() * 1000);
} catch {
  // Whatever it was, the agent goes on.
}
process.exit(0);
