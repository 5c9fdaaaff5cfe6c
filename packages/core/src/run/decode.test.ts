import { assertEventOrder, FakeAdapter } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { event, eventsOf, live, sessionStart, text, turnEnd, typed, useBench } from '../../test/engine.ts';
import type { ParseContext, SpawnArgs } from '../contract/adapter.ts';
import { BaseAgentAdapter } from '../contract/base-adapter.ts';
import type { EventBody } from '../contract/events.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';

const bench = useBench();

describe('a decoder', () => {
  it('that throws is told, and the run goes on', async () => {
    class Brittle extends FakeAdapter {
      override parseEvent(line: string): EventBody | null {
        if (line === 'odd') throw new Error('what is this?');
        return super.parseEvent(line);
      }
      parseEnd(): EventBody[] {
        throw new Error('no end either');
      }
    }
    const steps = [sessionStart, text('before '), { do: 'line' as const, text: 'odd' }, text('after')];
    const handle = bench.use(new Brittle({ steps })).run();
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'error')).toMatchObject([
      { code: 'PARSE_ERROR', recoverable: true, message: expect.stringContaining('what is this?') },
      { code: 'PARSE_ERROR', recoverable: true, message: expect.stringContaining('no end either') },
    ]);
    expect(await handle).toMatchObject({ text: 'before after', exitReason: 'completed', error: null });
  });

  it('of a live agent that throws is told too', async () => {
    const adapter = new FakeAdapter({
      steps: live([text('before '), { do: 'line', text: 'odd' }, text('after'), turnEnd]),
    });
    const facet = adapter.modes[0]?.live;
    if (facet?.transport !== 'stdio') throw new Error('the fake agent speaks over stdio');
    const { decode } = facet.codec;
    facet.codec.decode = (line, state, context) => {
      if (line === 'odd') throw new Error('what is this?');
      return decode(line, state, context);
    };
    const handle = bench.use(adapter).run();
    expect(typed(await eventsOf(handle), 'error')).toMatchObject([{ code: 'PARSE_ERROR', recoverable: true }]);
    expect(await handle).toMatchObject({ text: 'before after', exitReason: 'completed' });
  });

  it('knows where a line came from, what came before it, and what is left at the end', async () => {
    const seen: string[] = [];
    class Noting extends FakeAdapter {
      override parseEvent(line: string, context?: ParseContext): EventBody | null {
        const decoded = super.parseEvent(line);
        if (context) seen.push(`${context.source} ${context.eventCount} ${context.lastEventType} ${context.sessionId}`);
        return decoded;
      }
      parseEnd(context: ParseContext, exit: { code: number | null }): EventBody[] {
        return [{ type: 'text_delta', delta: `${context.eventCount} events, exit ${exit.code}` }];
      }
    }
    const start = event({ type: 'session_start', sessionId: 's-1' });
    const handle = bench.use(new Noting({ steps: [start, event({ type: 'title', title: 't' })] })).run();
    expect(await handle).toMatchObject({ text: '2 events, exit 0' });
    expect(seen).toEqual(['stdout 0 null undefined', 'stdout 1 session_start s-1']);
  });

  it('may return several events for a line, or none', async () => {
    class Doubling extends BaseAgentAdapter {
      readonly agent = 'doubling';
      readonly displayName = 'Doubling';
      readonly cliCommand = process.execPath;
      override readonly needsNoInstall = true;
      readonly #fake: FakeAdapter;
      constructor(fake: FakeAdapter) {
        super();
        this.#fake = fake;
      }
      override get modes() {
        return this.#fake.modes;
      }
      buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
        return this.#fake.buildSpawnArgs(options);
      }
      parseEvent(line: string): EventBody[] | null {
        const body = this.#fake.parseEvent(line);
        if (body?.type === 'title') return [];
        return body?.type === 'text_delta' ? [body, { ...body }] : body && [body];
      }
    }
    const steps = [sessionStart, event({ type: 'title', title: 't' }), text('x')];
    for (const includeRaw of [false, true]) {
      const handle = bench.use(new Doubling(new FakeAdapter({ steps }))).run({ includeRaw });
      const events = await eventsOf(handle);
      assertEventOrder(events);
      expect(typed(events, 'title')).toEqual([]);
      expect(await handle).toMatchObject({ text: 'xx' });
    }
  });
});
