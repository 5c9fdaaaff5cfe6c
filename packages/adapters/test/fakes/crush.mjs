// Prints as the source of `crush run --quiet` does: the answer, as text.
import { text } from 'node:stream/consumers';

if (process.argv.includes('--version')) console.log('crush version v0.96.1');
else {
  const prompt = (await text(process.stdin)).trim();
  if (prompt === 'fail') {
    console.error('no providers configured');
    process.exit(1);
  }
  console.log(`You said: ${prompt}`);
}
