import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertEventOrder } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { eventsOf, isAlive, next, steady, useBench } from '../../../test/engine.ts';
import { ScriptAdapter } from '../../../test/script-adapter.ts';
import type { EventBody } from '../../contract/events.ts';
import type { StdioLive } from '../../contract/live.ts';
import { HIGH_WATER_EVENTS } from '../event-log.ts';

const bench = useBench();

/** One process, many sessions: every message names its session. */
const SERVICE = `
  const say = (id, body) => console.log(JSON.stringify({ id, ...body }));
  let open = 0;
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, hello, turn, bye } = JSON.parse(line);
    if (hello) { open++; say(id, { type: 'session_start', sessionId: id }); }
    if (bye) { open--; console.log(JSON.stringify({ type: 'title', title: 'left ' + id })); }
    if (turn === 'die') { console.error('last words'); process.exit(4); }
    if (turn === 'flood') { for (let i = 0; i < 20000; i++) say(id, { type: 'text_delta', delta: i + ' ' }); }
    if (turn === 'limit') { console.error('limit reached'); return; }
    if (turn === 'silence') return;
    if (turn === 'chatter') { setInterval(() => say(id, { type: 'text_delta', delta: '.' }), 100); return; }
    if (turn) { say(id, { type: 'text_delta', delta: turn + ' ' + process.pid + ' ' + open }); say(id, { type: 'turn_end', status: 'completed' }); }
  }).on('close', () => { if (process.env.STAY) setInterval(() => {}, 1000); });`;

interface State {
  id: string;
}
const say = (message: object) => [JSON.stringify(message)];
const shared: StdioLive = {
  transport: 'stdio',
  sessionFirst: true,
  codec: {
    open: (options): State => ({ id: options.runId }),
    hello: (state: State) => say({ id: state.id, hello: true }),
    turn: (input, state: State) => say({ id: state.id, turn: input.text }),
    decode: (line) => {
      const { id: _id, ...body } = JSON.parse(line) as EventBody & { id?: string };
      return { events: [body as EventBody] };
    },
    resolve: () => [],
    close: (state: State) => say({ id: state.id, bye: true }),
  },
  share: {
    key: (options) => options.model ?? 'one',
    channelOf: (state: State) => state.id,
    route: (line) => /^\{"id":"([^"]+)"/.exec(line)?.[1],
  },
};
const service = () => bench.use(new ScriptAdapter(SERVICE, shared));
const pidIn = (text: string) => Number(text.split(' ')[1]);

describe('a process that several runs share', () => {
  it('serves them at once, keeps them apart, and ends with the last one', async () => {
    const { run } = service();
    const first = run({ prompt: 'one', interactive: true });
    const second = run({ prompt: 'two', interactive: true });
    const reading = [eventsOf(first), eventsOf(second)];
    await Promise.all([next(first, 'turn_end'), next(second, 'turn_end')]);
    expect([first.text.split(' ')[0], second.text.split(' ')[0]]).toEqual(['one', 'two']);
    const pid = pidIn(first.text);
    expect(pidIn(second.text)).toBe(pid);
    await first.end();
    expect(isAlive(pid)).toBe(true);
    await second.send('three');
    await next(second, 'turn_end');
    expect(second.text).toBe(`three ${pid} 1`);
    await second.end();
    expect(isAlive(pid)).toBe(false);
    for (const events of await Promise.all(reading)) assertEventOrder(events);
  });

  it('tells everybody what is meant for everybody, and stays when one is aborted', async () => {
    const { run } = service();
    const [first, second] = [run({ prompt: 'silence' }), run({ prompt: 'two', interactive: true })];
    await Promise.all([next(first, 'turn_start'), next(second, 'turn_end')]);
    const told = next(second, 'title');
    expect(await first.abort()).toMatchObject({ exitReason: 'aborted' });
    expect((await told).title).toBe(`left ${first.runId}`);
    await second.send('three');
    await next(second, 'turn_end');
    expect(second.text).toMatch(/^three/);
    await second.end();
  });

  it('that dies ends all its runs, and the next one gets a new process', async () => {
    const { run } = service();
    const victim = run({ prompt: 'silence' });
    await next(victim, 'turn_start');
    const results = await Promise.all([victim, run({ prompt: 'die' })]);
    for (const result of results) expect(result).toMatchObject({ exitReason: 'crashed', exitCode: 4 });
    const [crash] = (await eventsOf(victim)).filter((each) => each.type === 'crash');
    expect(crash).toMatchObject({ stderr: expect.stringContaining('last words') });
    expect(await run({ prompt: 'again' })).toMatchObject({ exitReason: 'completed' });
  });

  it('is another one for another key', async () => {
    const { run, client } = service();
    const [mode] = client.adapters.get('script').modes ?? [];
    Object.assign(mode?.capabilities ?? {}, { supportsModelSelection: true });
    const results = await Promise.all([run({ model: 'a', prompt: 'x' }), run({ model: 'b', prompt: 'x' })]);
    expect(new Set(results.map(({ text }) => pidIn(text))).size).toBe(2);
  });

  it('tells what it writes to stderr to all its runs', async () => {
    const { run } = service();
    const [first, second] = [run({ prompt: 'silence' }), run({ prompt: 'silence' })];
    await Promise.all([next(first, 'turn_start'), next(second, 'turn_start')]);
    const third = run({ prompt: 'limit' });
    for (const handle of [first, second, third]) expect(await handle).toMatchObject({ exitReason: 'rate_limited' });
  });

  it('is no sign of life for one run when it serves another', async () => {
    const { run } = service();
    const busy = run({ prompt: 'chatter' });
    const silent = run({ prompt: 'silence', inactivityTimeout: 1500 });
    expect(await silent).toMatchObject({ exitReason: 'inactivity' });
    await busy.abort();
  });

  it('waits for a reader of one of them that stalls', async () => {
    const { run } = service();
    const handle = run({ prompt: 'flood' });
    const reader = handle[Symbol.asyncIterator]();
    let heard = 0;
    handle.on('text_delta', () => void heard++);
    await reader.next();
    await next(handle, 'text_delta');
    expect(await steady(() => heard)).toBeLessThan(HIGH_WATER_EVENTS + 3000);
    await reader.return?.();
    expect((await handle).text.startsWith('0 1 2 ')).toBe(true);
    expect(heard).toBe(20_001);
  });

  it('is ended soon when its last run is aborted, though it would stay', async () => {
    const { run } = service();
    const handle = run({ prompt: 'x', interactive: true, env: { STAY: '1' } });
    await next(handle, 'turn_end');
    const begun = performance.now();
    await handle.abort();
    expect(performance.now() - begun).toBeLessThan(2500);
    expect(isAlive(pidIn(handle.text))).toBe(false);
  });

  it('is traced by each run for itself', async () => {
    const tracePath = join(bench.folder(), 'trace.jsonl');
    const { run } = service();
    const other = run({ prompt: 'other', interactive: true });
    await next(other, 'turn_end');
    await run({ prompt: 'mine', tracePath });
    await other.end();
    const trace = readFileSync(tracePath, 'utf8');
    expect(trace).toMatch(/"dir":"in"[^\n]*mine/);
    expect(trace).toMatch(/"dir":"stdout"[^\n]*mine/);
    expect(trace).not.toContain('other');
  });
});
