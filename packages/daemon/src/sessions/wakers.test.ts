import { describe, expect, it } from 'vitest';
import { Serial } from './serial.ts';
import { Wakers } from './wakers.ts';

const never = new AbortController().signal;

describe('those who wait', () => {
  it('are woken by what they wait for and by nothing else', async () => {
    const wakers = new Wakers();
    const order: string[] = [];
    const a = wakers.wait('a', never, () => false).then(() => order.push('a'));
    const b = wakers.wait('b', never, () => false).then(() => order.push('b'));
    wakers.wake('b');
    await b;
    wakers.wake('a');
    await a;
    expect(order).toEqual(['b', 'a']);
  });

  it('do not wait where there is news already, also such as came while they asked', async () => {
    const wakers = new Wakers();
    await wakers.wait('a', never, () => true);
    await wakers.wait('a', never, async () => {
      wakers.wake('a');
      return false;
    });
  });

  it('leave when they are told to', async () => {
    const wakers = new Wakers();
    const leaving = new AbortController();
    const waiting = wakers.wait('a', leaving.signal, () => false);
    leaving.abort();
    await waiting;
    await wakers.wait('a', leaving.signal, () => false);
  });
});

describe('one thing at a time', () => {
  it('for each key, in the order of asking, also after a failure', async () => {
    const serial = new Serial();
    const order: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const first = serial.run('a', async () => {
      await held;
      order.push('a1');
      throw new Error('no');
    });
    const second = serial.run('a', async () => void order.push('a2'));
    await serial.run('b', async () => void order.push('b1'));
    release();
    await expect(first).rejects.toThrow('no');
    await second;
    await serial.rest();
    expect(order).toEqual(['b1', 'a1', 'a2']);
  });
});
