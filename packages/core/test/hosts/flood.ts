import { createClient } from '@agent-mux/core';
import { ScriptAdapter } from '../script-adapter.ts';

/** A host whose agent prints a line of text again and again. Prints the result. */
const [lines = '1', chars = '1'] = process.argv.slice(2);
const agent = `
  const line = 'x'.repeat(${chars}) + '\\n';
  const batch = line.repeat(Math.max(1, Math.floor(1_000_000 / line.length)));
  process.stdin.once('data', async () => {
    for (let left = ${lines} * line.length; left > 0; left -= batch.length)
      if (!process.stdout.write(batch)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    process.stdout.write('done\\n');
  });`;
const adapter = new ScriptAdapter(agent, {
  transport: 'stdio',
  waitForSession: false,
  codec: {
    open: () => ({}),
    handshake: () => [],
    turn: () => ['go'],
    decode: (line) => ({
      events: [line === 'done' ? { type: 'turn_end', status: 'completed' } : { type: 'text_delta', delta: line }],
    }),
    resolve: () => [],
  },
});
const client = createClient({ adapters: [adapter], runIndex: false });
const handle = client.run({ agent: 'script', prompt: 'go' });
let streamed = 0;
const cuts: (string | undefined)[] = [];
for await (const event of handle) {
  if (event.type === 'text_delta') streamed += event.delta.length;
  if (event.type === 'debug') cuts.push(event.code);
}
const { text, omittedTextChars, exitReason } = await handle;
console.log(JSON.stringify({ streamed, kept: text.length, omittedTextChars, exitReason, cuts }));
await client.close();
