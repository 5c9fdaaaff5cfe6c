import { createClient, type HttpLive } from '@agent-mux/core';
import { ScriptAdapter } from '../script-adapter.ts';
import { SERVICE, SHARED } from '../shared-service.ts';

/** A host that closes no client, neither of a pooled process nor of a server. Prints their pids. */
const [how] = process.argv.slice(2);
const SERVER = `
  require('node:http').createServer((request, response) => response.end(String(process.pid)))
    .listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port); });`;
const served: HttpLive = {
  transport: 'http',
  waitForSession: false,
  codec: {
    open: () => ({}),
    handshake: () => [],
    turn: () => [{ tag: 't', method: 'POST', path: '/' }],
    decode: (message) =>
      message.kind === 'reply'
        ? {
            events: [
              { type: 'text_delta', delta: `pid ${message.body}` },
              { type: 'turn_end', status: 'completed' },
            ],
          }
        : { events: [] },
    resolve: () => [],
  },
  server: { readUrl: (line) => line, shareKey: () => 'all', healthPath: '/' },
};
const pids: number[] = [];
for (const adapter of [new ScriptAdapter(SERVICE, SHARED), new ScriptAdapter(SERVER, served)]) {
  const client = createClient({ adapters: [adapter], runIndex: false });
  const run = async () => (await client.run({ agent: 'script', prompt: 'x', env: { STAY: '1' } })).text.split(' ')[1];
  const [first, second] = [await run(), await run()];
  if (first === second) pids.push(Number(first));
}
console.log(JSON.stringify(pids));
if (how === 'calls exit') process.exit(0);
if (how === 'is killed') process.kill(process.pid, 'SIGKILL');
