import { describe, expect, it } from 'vitest';
import { KeyedSemaphore } from './keyed-semaphore.ts';

const ticks = () => new Promise((resolve) => setImmediate(resolve));

describe('KeyedSemaphore', () => {
  it('admits up to its limit and queues the rest in order', async () => {
    const line = new KeyedSemaphore(2);
    const order: string[] = [];
    const before: number[] = [];
    const [first, second] = [await line.take('key'), await line.take('key')];
    for (const name of ['third', 'fourth']) {
      void line.take('key', { waits: (count) => before.push(count) }).then(() => order.push(name));
    }
    await ticks();
    expect({ order, before }).toEqual({ order: [], before: [2, 3] });
    second();
    await ticks();
    expect(order).toEqual(['third']);
    first();
    await ticks();
    expect(order).toEqual(['third', 'fourth']);
  });

  it('limits each key separately', async () => {
    const line = new KeyedSemaphore(1);
    await line.take('one');
    await expect(line.take('other')).resolves.toBeTypeOf('function');
  });

  it('counts a double release once', async () => {
    const line = new KeyedSemaphore(1);
    const giveOn = await line.take('key');
    const [second, third] = [line.take('key'), line.take('key')];
    giveOn();
    giveOn();
    await second;
    expect(await Promise.race([third, ticks().then(() => 'waits')])).toBe('waits');
  });

  it('forgets aborted waiters', async () => {
    const line = new KeyedSemaphore(1);
    const giveOn = await line.take('key');
    const over = new AbortController();
    const left = line.take('key', { over: over.signal });
    const next = line.take('key');
    over.abort(new Error('aborted'));
    await expect(left).rejects.toThrow('aborted');
    giveOn();
    await expect(next).resolves.toBeTypeOf('function');
  });

  it('starts aborted work without a slot and takes none from others', async () => {
    const line = new KeyedSemaphore(1);
    const giveOn = await line.take('key');
    const over = new AbortController();
    const work = line.run('key', async () => 'saw the abort', over.signal);
    over.abort();
    expect(await work).toBe('saw the abort');
    const next = line.take('key');
    expect(await Promise.race([next, ticks().then(() => 'waits')])).toBe('waits');
    giveOn();
    await next;
  });
});
