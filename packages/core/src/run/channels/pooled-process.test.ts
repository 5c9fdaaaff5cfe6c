import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpLive, StdioLive } from '@agent-mux/core';
import { assertEventOrder } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventsOf, isAlive, nothingLeftOf, until, useBench } from '../../../test/engine.ts';
import { startHost } from '../../../test/run-host.ts';
import { ScriptAdapter } from '../../../test/script-adapter.ts';
import { pidIn, SERVICE, SHARED, WithFile } from '../../../test/shared-service.ts';
import type { CoreClientOptions } from '../../client/client.ts';

/** After SIGTERM it reads and prints nothing, and exits a moment later. */
const LEAVES_SLOWLY = `process.on('SIGTERM', () => {
  console.log = () => {};
  require('node:fs').writeFileSync(process.env.LEAVING, '');
  setTimeout(() => process.exit(0), 300);
});`;
/** One line in, one line out, for each prompt. */
const PROMPTED: StdioLive = {
  ...SHARED,
  waitForSession: false,
  codec: {
    ...SHARED.codec,
    handshake: () => [],
    decode: (line) => ({
      events: [
        { type: 'text_delta', delta: line },
        { type: 'turn_end', status: 'completed' },
      ],
    }),
    close: () => [],
  },
  share: { key: () => 'one', exclusive: true, channelOf: (state: { id: string }) => state.id, route: () => undefined },
};
const ECHO = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => console.log(JSON.parse(line).turn + ' ' + process.pid));`;
/** Answers its prompt with the pid. */
const SERVED: HttpLive = {
  transport: 'http',
  waitForSession: false,
  codec: {
    open: () => ({}),
    handshake: () => [],
    turn: () => [{ tag: 't', method: 'POST', path: '/' }],
    decode: (message) => ({
      events:
        message.kind === 'reply'
          ? [
              { type: 'text_delta', delta: `x ${message.body}` },
              { type: 'turn_end', status: 'completed' },
            ]
          : message.kind === 'failed'
            ? [
                { type: 'error', code: 'NETWORK_ERROR', message: message.message, recoverable: false },
                { type: 'turn_end', status: 'failed' },
              ]
            : [],
    }),
    resolve: () => [],
  },
  server: { readUrl: (line) => line, shareKey: () => 'all' },
};
const SERVER = `
  const server = require('node:http').createServer((request, response) => response.end(String(process.pid)));
  server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port));
  process.on('SIGTERM', () => { server.close(); server.closeAllConnections(); });`;

const bench = useBench();
const service = (client?: CoreClientOptions) => bench.use(new ScriptAdapter(SERVICE, SHARED), client);

describe('pooled process', () => {
  it('serves the next run, even one with the id of an earlier run', async () => {
    const { run } = service();
    const first = await run({ prompt: 'one', runId: 'twice' });
    const second = await run({ prompt: 'two', runId: 'twice' });
    expect(pidIn(second.text)).toBe(pidIn(first.text));
    expect([first.sessionId, second.sessionId]).toEqual(['twice', 'twice.2']);
  });

  it('is ended after an idle time, or with the last run if pooling is off', async () => {
    const [soon, atOnce] = [service({ idleTimeout: 50 }), service({ idleTimeout: 0 })];
    const pid = pidIn((await soon.run({ prompt: 'x' })).text);
    await until(() => !isAlive(pid));
    expect(pidIn((await soon.run({ prompt: 'x' })).text)).not.toBe(pid);
    expect(isAlive(pidIn((await atOnce.run({ prompt: 'x' })).text))).toBe(false);
  });

  it('is replaced after a kill or a change of program, arguments or env', async () => {
    const env: NodeJS.ProcessEnv = { ...process.env, LANG: 'C' };
    const { run } = service({ env });
    const pids: number[] = [];
    const again = async () => void pids.push(pidIn((await run({ prompt: 'x' })).text));
    await again();
    process.kill(pids[0] ?? 0, 'SIGKILL');
    await until(() => !isAlive(pids[0]));
    await again();
    env.LANG = 'en_US.UTF-8';
    await again();
    await again();
    expect(new Set(pids.slice(0, 3)).size).toBe(3);
    expect(pids[3]).toBe(pids[2]);
  });

  it.each([
    ['shared process', LEAVES_SLOWLY + SERVICE, SHARED],
    ['single-session process', LEAVES_SLOWLY + ECHO, PROMPTED],
    ['server', SERVER + LEAVES_SLOWLY, SERVED],
  ] as const)('replaces a %s that is exiting when a run joins, once', async (_what, script, live) => {
    const { run } = bench.use(new ScriptAdapter(script, live), { retryPolicy: { maxRetries: 0 } });
    const env = { LEAVING: join(bench.folder(), 'leaving') };
    const first = pidIn((await run({ prompt: 'one', env })).text);
    process.kill(first, 'SIGTERM');
    await until(() => existsSync(env.LEAVING));
    const handle = run({ prompt: 'two', env });
    const second = await handle;
    expect(second).toMatchObject({ exitReason: 'completed', turnCount: 1 });
    expect(pidIn(second.text)).not.toBe(first);
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(events.filter((each) => each.type === 'debug' && each.code === 'process_replaced')).toHaveLength(1);
    expect(events.filter((each) => each.type === 'turn_start')).toHaveLength(1);
    expect(events.filter((each) => each.type === 'retry')).toEqual([]);
  });

  it('starts one replacement, not two, if every prompt kills it', async () => {
    const folder = bench.folder();
    const script = `require('node:fs').appendFileSync(${JSON.stringify(join(folder, 'starts'))}, 's');
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        if (JSON.parse(line).turn === 'die') process.exit(7);
        console.log('fine ' + process.pid);
      });`;
    const { run } = bench.use(new ScriptAdapter(script, PROMPTED));
    await run({ prompt: 'x' });
    expect(await run({ prompt: 'die' })).toMatchObject({ exitReason: 'crashed', exitCode: 7 });
    expect(readFileSync(join(folder, 'starts'), 'utf8')).toBe('ss');
  });

  it("is replaced only if the agent's configuration changed while idle", async () => {
    const folder = bench.folder();
    const adapter = new ScriptAdapter(SERVICE, SHARED);
    const schema = {
      agent: 'script',
      fields: [],
      configFilePaths: [join(folder, 'c.json')],
      projectConfigFilePaths: [],
    };
    Object.defineProperty(adapter, 'configSchema', { value: schema });
    const { run } = bench.use(adapter);
    const pid = async (prompt: string) => pidIn((await run({ prompt })).text);
    const first = await pid('a');
    expect(await pid('b')).toBe(first);
    writeFileSync(join(folder, 'c.json'), '{}');
    const second = await pid('c');
    expect(second).not.toBe(first);
    expect(await pid('d')).toBe(second);
  });

  it('keeps its helper files and its own id as long as it lives', async () => {
    const { run, client } = bench.use(new WithFile(SERVICE, SHARED));
    const first = run({ prompt: 'file' });
    const path = (await first).text.split(' ')[1] ?? '';
    expect(nothingLeftOf(first)).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('for the agent');
    expect((await run({ prompt: 'file' })).text).toContain(path);
    await client.close();
    expect(existsSync(path)).toBe(false);
  });

  it('reports output of unknown sessions to all runs, of ended ones to none', async () => {
    const { run } = service();
    await run({ prompt: 'one', runId: 'over' });
    const handle = run({ prompt: 'strays' });
    const titles = (await eventsOf(handle)).flatMap((each) => (each.type === 'title' ? [each.title] : []));
    expect(titles).toContain('never');
    expect(titles).not.toContain('over');
  });

  it.each(['exits with its host, which %s', 'calls exit', 'is killed'])('goes with its host, which %s', async (how) => {
    const folder = bench.folder();
    const { stdout } = await startHost('pooled.ts', [how], { env: { TMPDIR: folder } }).finished;
    const pids = z.array(z.number()).parse(JSON.parse(stdout));
    expect(pids).toHaveLength(2);
    await until(() => !pids.some(isAlive) && readdirSync(folder).length === 0);
  });
});
