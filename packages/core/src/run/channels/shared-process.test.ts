import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertEventOrder } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { eventsOf, isAlive, next, steady, useBench } from '../../../test/engine.ts';
import { ScriptAdapter } from '../../../test/script-adapter.ts';
import { pidIn, SERVICE, SHARED } from '../../../test/shared-service.ts';
import { HIGH_WATER_EVENTS } from '../log/event-log.ts';

const bench = useBench();

const service = () => bench.use(new ScriptAdapter(SERVICE, SHARED));

describe('shared process', () => {
  it('serves runs concurrently, keeps them apart and ends with its client', async () => {
    const { run, client } = service();
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
    expect(isAlive(pid)).toBe(true);
    await client.close();
    expect(isAlive(pid)).toBe(false);
    for (const events of await Promise.all(reading)) assertEventOrder(events);
  });

  it('sends broadcast lines to all runs and survives the abort of one', async () => {
    const { run } = service();
    const [first, second] = [run({ prompt: 'silence' }), run({ prompt: 'two', interactive: true })];
    await Promise.all([next(first, 'turn_start'), next(second, 'turn_end')]);
    const title = next(second, 'title');
    expect(await first.abort()).toMatchObject({ exitReason: 'aborted' });
    expect((await title).title).toBe(`left ${first.runId}`);
    await second.send('three');
    await next(second, 'turn_end');
    expect(second.text).toMatch(/^three/);
    await second.end();
  });

  it('ends all its runs when it dies; the next run gets a new process', async () => {
    const { run } = service();
    const victim = run({ prompt: 'silence' });
    await next(victim, 'turn_start');
    const results = await Promise.all([victim, run({ prompt: 'die' })]);
    for (const result of results) expect(result).toMatchObject({ exitReason: 'crashed', exitCode: 4 });
    const [crash] = (await eventsOf(victim)).filter((each) => each.type === 'crash');
    expect(crash).toMatchObject({ stderr: expect.stringContaining('last words') });
    expect(await run({ prompt: 'again' })).toMatchObject({ exitReason: 'completed' });
  });

  it('is separate for another key', async () => {
    const { run, client } = service();
    const [mode] = client.adapters.get('script').modes ?? [];
    Object.assign(mode?.capabilities ?? {}, { supportsModelSelection: true });
    const results = await Promise.all([run({ model: 'a', prompt: 'x' }), run({ model: 'b', prompt: 'x' })]);
    expect(new Set(results.map(({ text }) => pidIn(text))).size).toBe(2);
  });

  it('sends its stderr to all runs', async () => {
    const { run } = service();
    const [first, second] = [run({ prompt: 'silence' }), run({ prompt: 'silence' })];
    await Promise.all([next(first, 'turn_start'), next(second, 'turn_start')]);
    const third = run({ prompt: 'limit' });
    for (const handle of [first, second, third]) expect(await handle).toMatchObject({ exitReason: 'rate_limited' });
  });

  it('does not count output of one run as activity of another', async () => {
    const { run } = service();
    const busy = run({ prompt: 'chatter' });
    const silent = run({ prompt: 'silence', inactivityTimeout: 1500 });
    expect(await silent).toMatchObject({ exitReason: 'inactivity' });
    await busy.abort();
  });

  it('pauses for a stalled reader if it serves no other run', async () => {
    const { run } = service();
    const handle = run({ prompt: 'flood' });
    const reader = handle[Symbol.asyncIterator]();
    let received = 0;
    handle.on('text_delta', () => void received++);
    await reader.next();
    await next(handle, 'text_delta');
    expect(await steady(() => received)).toBeLessThan(HIGH_WATER_EVENTS + 3000);
    await reader.return?.();
    expect((await handle).text.startsWith('0 1 2 ')).toBe(true);
    expect(received).toBe(20_001);
  });

  it('is ended with its client even if it ignores the end of input', async () => {
    const { run, client } = service();
    const handle = run({ prompt: 'x', interactive: true, env: { STAY: '1' } });
    await next(handle, 'turn_end');
    const pid = pidIn(handle.text);
    await handle.abort();
    expect(isAlive(pid)).toBe(true);
    await client[Symbol.asyncDispose]();
    expect(isAlive(pid)).toBe(false);
  });

  it('is traced separately by each run', async () => {
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
