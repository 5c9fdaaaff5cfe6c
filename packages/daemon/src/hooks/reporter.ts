/** `amux hooks <agent> <event> [session]` as a program: started with every step of an agent, and loaded before anything else. */
import { report, timeOfCall } from './report.ts';

try {
  await report(process.argv.slice(3), process.env, timeOfCall(process.env, performance.timeOrigin));
} catch {
  // Whatever it was, the agent goes on.
}
process.exit(0);
