import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createClient, listProcessTree } from '@agent-mux/core';
import { FakeAdapter } from '@agent-mux/testkit';

/** A host that opens files until none is left, then aborts its run. `none`: its reserved descriptor is used up too. */
const [held] = process.argv.slice(2);
const adapter = new FakeAdapter({
  steps: [
    { do: 'event', event: { type: 'session_start', sessionId: 's' } },
    ...(held === 'none' ? [] : [{ do: 'grandchild', detached: true } as const]),
    { do: 'event', event: { type: 'text_delta', delta: 'there' } },
    { do: 'hang' },
  ],
});
const client = createClient({ adapters: [adapter], runIndex: false });
const handle = client.run({ agent: 'fake', prompt: 'go' });
await new Promise((resolve) => handle.once('text_delta', resolve));
const pids = listProcessTree(-1, handle.runId).map(({ pid }) => pid);

const opened: number[] = [];
if (held === 'none') execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=3:']);
else for (let fd = open(); fd !== undefined; fd = open()) opened.push(fd);
const { exitReason } = await handle.abort();
for (const fd of opened) closeSync(fd);
console.log(JSON.stringify({ pids, exitReason }));
await client.close();

function open(): number | undefined {
  try {
    return openSync('/dev/null', 'r');
  } catch {
    return undefined;
  }
}
