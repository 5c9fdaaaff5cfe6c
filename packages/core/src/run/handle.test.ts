import { assertEventOrder, FakeAdapter } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { eventsOf, live, next, sessionStart, text, turnEnd, useBench } from '../../test/engine.ts';
import type { AgentEvent } from '../contract/events.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';

const bench = useBench();
const hello = [sessionStart, text('he'), text('llo'), turnEnd];

describe('run handle', () => {
  it('is an async iterable and a thenable with its ids set from the start', async () => {
    const handle = bench.fake(hello).run({ runId: 'my-run', tags: ['a', 'b'] });
    expect(handle).toMatchObject({ runId: 'my-run', agent: 'fake', sessionId: undefined, text: '' });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(events.every((each) => each.runId === 'my-run' && each.agent === 'fake')).toBe(true);
    expect(handle).toMatchObject({ sessionId: 'fake-my-run', text: 'hello' });
    const result = await handle;
    expect(result).toBe(await handle.result);
    expect(await handle.then((value) => value.tags)).toEqual(['a', 'b']);
  });

  it('calls listeners in order: by type, for all, once, and not after off', async () => {
    const handle = bench.fake(hello).run();
    const received: string[] = [];
    const note = (name: string) => (each: AgentEvent) => void received.push(`${name} ${each.type}`);
    const gone = note('gone');
    const text = note('text');
    handle.on('text_delta', text).on('text_delta', gone).off('text_delta', gone).once('text_delta', note('once'));
    const all: AgentEvent[] = [];
    handle.on('*', (each) => void all.push(each));
    await handle;
    expect(received).toEqual(['text text_delta', 'once text_delta', 'text text_delta']);
    assertEventOrder(all);
  });

  it('keeps listeners apart when one is removed during an event', async () => {
    const handle = bench.fake(hello).run();
    const received: string[] = [];
    const same = () => void received.push('same');
    handle.once('text_delta', same).on('text_delta', same);
    handle.once('text_delta', () => void received.push('once'));
    handle.on('text_delta', () => void received.push('after'));
    await handle;
    expect(received).toEqual(['same', 'same', 'once', 'after', 'same', 'after']);
  });

  it('yields batches whose reader decides about further turns', async () => {
    const handle = bench.fake(live([text('one'), turnEnd], [text('two'), turnEnd])).run();
    const events: AgentEvent[] = [];
    for await (const batch of handle.batches()) {
      expect(batch).not.toHaveLength(0);
      events.push(...batch);
      const isFirstEnd = batch.some(({ type, turnIndex }) => type === 'turn_end' && turnIndex === 0);
      // As if a person were asked: the run waits for the reader of the batch.
      for (let round = 0; isFirstEnd && round < 5; round += 1) await new Promise((resolve) => setImmediate(resolve));
      if (isFirstEnd) await handle.send('again');
    }
    assertEventOrder(events);
    expect(await handle).toMatchObject({ text: 'two', turnCount: 2, exitReason: 'completed' });
  });

  it('releases a reader that breaks out of the loop', async () => {
    const handle = bench.fake(hello).run();
    for await (const each of handle) if (each.type === 'text_delta') break;
    expect(await handle).toMatchObject({ text: 'hello', exitReason: 'completed' });
  });

  it('continues a run whose adapter was unregistered or replaced', async () => {
    const { client, run } = bench.fake(live([text('one'), turnEnd], [text('two'), turnEnd]));
    const first = run();
    client.adapters.unregister('fake');
    await next(first, 'turn_end');
    await first.send('again');
    expect(await first).toMatchObject({ text: 'two', exitReason: 'completed' });
    expect(() => run()).toThrow(/unknown agent "fake"/);

    client.adapters.register(new FakeAdapter({ steps: live([text('other'), turnEnd]) }));
    const second = run();
    client.adapters.register(new FakeAdapter({ steps: live([text('third'), turnEnd]) }));
    expect(await second).toMatchObject({ text: 'other' });
    expect(await run()).toMatchObject({ text: 'third' });
  });

  it('resolves the binary of its adapter, even if the name is reused', async () => {
    const { client, run } = bench.fake(hello, { versionSteps: [{ do: 'line', text: '1.2.3' }] });
    const handle = run();
    client.adapters.unregister('fake');
    expect(await handle).toMatchObject({ text: 'hello', exitReason: 'completed' });
  });
});

describe('run that cannot start', () => {
  class Refusing extends FakeAdapter {
    override buildSpawnArgs(): never {
      throw new TypeError('these options do not go together');
    }
  }
  class Absent extends FakeAdapter {
    override readonly cliCommand = 'no-such-agent-anywhere' as never;
    override buildSpawnArgs(options: ResolvedRunOptions) {
      return { ...super.buildSpawnArgs(options), command: this.cliCommand };
    }
  }
  const adapters = {
    'an adapter that refuses': () => new Refusing({ steps: hello }),
    'a live adapter that refuses': () => new Refusing({ steps: hello, mode: 'live' }),
    'a missing binary': () => new Absent({ steps: hello, versionSteps: [] }),
  };
  it.each(Object.keys(adapters) as (keyof typeof adapters)[])(
    'rejects the result and the iterator: %s',
    async (which) => {
      const unhandled: unknown[] = [];
      const note = (reason: unknown) => void unhandled.push(reason);
      process.on('unhandledRejection', note);
      const { client, run } = bench.use(adapters[which]());
      const pattern = which === 'a missing binary' ? /is not installed/ : /do not go together/;
      const ignored = run();
      await expect(run().result).rejects.toThrow(pattern);
      await expect(eventsOf(run())).rejects.toThrow(pattern);
      const handle = run();
      await expect(handle).rejects.toThrow(pattern);
      await expect(eventsOf(handle)).rejects.toThrow(pattern);
      await expect(handle.send('more')).rejects.toMatchObject({ code: 'RUN_ENDED' });
      await expect(handle.abort()).rejects.toThrow(pattern);
      await new Promise((resolve) => setTimeout(resolve, 20));
      process.off('unhandledRejection', note);
      expect(unhandled).toEqual([]);
      expect(ignored.text).toBe('');
      await client.close();
    },
  );
});
