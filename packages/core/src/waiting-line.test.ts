import { describe, expect, it } from 'vitest';
import { WaitingLine } from './waiting-line.ts';

const ticks = () => new Promise((resolve) => setImmediate(resolve));

describe('a waiting line', () => {
  it('lets in as many as there is room for, and the others in the order of asking', async () => {
    const line = new WaitingLine(2);
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

  it('keeps one key apart from another', async () => {
    const line = new WaitingLine(1);
    await line.take('one');
    await expect(line.take('other')).resolves.toBeTypeOf('function');
  });

  it('counts a turn that is given on twice once', async () => {
    const line = new WaitingLine(1);
    const giveOn = await line.take('key');
    const [second, third] = [line.take('key'), line.take('key')];
    giveOn();
    giveOn();
    await second;
    expect(await Promise.race([third, ticks().then(() => 'waits')])).toBe('waits');
  });

  it('forgets who waits no longer', async () => {
    const line = new WaitingLine(1);
    const giveOn = await line.take('key');
    const over = new AbortController();
    const left = line.take('key', { over: over.signal });
    const next = line.take('key');
    over.abort(new Error('nobody waits'));
    await expect(left).rejects.toThrow('nobody waits');
    giveOn();
    await expect(next).resolves.toBeTypeOf('function');
  });

  it('lets work that nobody wants any more begin without a turn, and takes none from others', async () => {
    const line = new WaitingLine(1);
    const giveOn = await line.take('key');
    const over = new AbortController();
    const work = line.run('key', async () => 'has seen it', over.signal);
    over.abort();
    expect(await work).toBe('has seen it');
    const next = line.take('key');
    expect(await Promise.race([next, ticks().then(() => 'waits')])).toBe('waits');
    giveOn();
    await next;
  });
});
