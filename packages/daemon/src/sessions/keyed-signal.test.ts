import { describe, expect, it } from 'vitest';
import { KeyedMutex } from './keyed-mutex.ts';
import { KeyedSignal } from './keyed-signal.ts';

const never = new AbortController().signal;

describe('KeyedSignal', () => {
  it('wakes only waiters of the same key', async () => {
    const signals = new KeyedSignal();
    const order: string[] = [];
    const a = signals.wait('a', never, () => false).then(() => order.push('a'));
    const b = signals.wait('b', never, () => false).then(() => order.push('b'));
    signals.notify('b');
    await b;
    signals.notify('a');
    await a;
    expect(order).toEqual(['b', 'a']);
  });

  it('does not wait if the condition holds or a signal arrives during the check', async () => {
    const signals = new KeyedSignal();
    await signals.wait('a', never, () => true);
    await signals.wait('a', never, async () => {
      signals.notify('a');
      return false;
    });
  });

  it('stops waiting when aborted', async () => {
    const signals = new KeyedSignal();
    const leaving = new AbortController();
    const waiting = signals.wait('a', leaving.signal, () => false);
    leaving.abort();
    await waiting;
    await signals.wait('a', leaving.signal, () => false);
  });
});

describe('KeyedMutex', () => {
  it('runs one function at a time per key in call order, even after a failure', async () => {
    const mutex = new KeyedMutex();
    const order: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const first = mutex.run('a', async () => {
      await held;
      order.push('a1');
      throw new Error('no');
    });
    const second = mutex.run('a', async () => void order.push('a2'));
    await mutex.run('b', async () => void order.push('b1'));
    release();
    await expect(first).rejects.toThrow('no');
    await second;
    await mutex.rest();
    expect(order).toEqual(['b1', 'a1', 'a2']);
  });
});
