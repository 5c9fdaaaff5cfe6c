import { assertEventOrder, FakeAdapter } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { event, eventsOf, live, sessionStart, text, turnEnd, typed, useBench } from '../../../test/engine.ts';
import { BaseAgentAdapter } from '../../adapter/base-adapter.ts';
import type { ParseContext, SpawnArgs } from '../../contract/adapter.ts';
import type { EventBody } from '../../contract/events.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';

const bench = useBench();

describe('decoder', () => {
  it('reports its exceptions while the run continues', async () => {
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

  it.each<[string, (context: ParseContext) => void]>([
    ['freezes its context', (context) => Object.freeze(context)],
    [
      'defines a getter that throws',
      (context) =>
        Object.defineProperty(context, 'assembler', {
          get: () => {
            throw new Error('not yours');
          },
        }),
    ],
    ['freezes the assembler', ({ assembler }) => Object.freeze(assembler)],
  ])('that %s does not affect the run', async (_, spoil) => {
    class Hostile extends FakeAdapter {
      override parseEvent(line: string, context?: ParseContext): EventBody | null {
        if (context) spoil(context);
        return super.parseEvent(line);
      }
    }
    const steps = [sessionStart, text('before '), { do: 'wait' as const, ms: 50 }, text('after')];
    const handle = bench.use(new Hostile({ steps })).run();
    assertEventOrder(await eventsOf(handle));
    expect(await handle).toMatchObject({ text: 'before after', exitReason: 'completed', error: null });
  });

  it('reports exceptions for a live agent too', async () => {
    const adapter = new FakeAdapter({
      steps: live([text('before '), { do: 'line', text: 'odd' }, text('after'), turnEnd]),
    });
    const spec = adapter.modes[0]?.live;
    if (spec?.transport !== 'stdio') throw new Error('the fake agent speaks over stdio');
    const { decode } = spec.codec;
    spec.codec.decode = (line, state, context) => {
      if (line === 'odd') throw new Error('what is this?');
      return decode(line, state, context);
    };
    const handle = bench.use(adapter).run();
    expect(typed(await eventsOf(handle), 'error')).toMatchObject([{ code: 'PARSE_ERROR', recoverable: true }]);
    expect(await handle).toMatchObject({ text: 'before after', exitReason: 'completed' });
  });

  it('knows the source of a line, the events before it, and the rest at the end', async () => {
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

  it('knows a resumed session before the agent reports it, and counts over all turns', async () => {
    const seen: unknown[] = [];
    class Noting extends FakeAdapter {
      override parseEvent(line: string, context?: ParseContext): EventBody | null {
        if (context) seen.push([context.turnIndex, context.eventCount, context.lastEventType, context.sessionId]);
        return super.parseEvent(line);
      }
    }
    const handle = bench.use(new Noting({ steps: [sessionStart, turnEnd] })).run({ sessionId: 'old' });
    await handle.send('again');
    await eventsOf(handle);
    expect(seen).toEqual([
      [0, 0, null, 'old'],
      [0, 1, 'session_start', 'old'],
      [1, 2, 'turn_end', 'old'],
      [1, 3, 'session_start', 'old'],
    ]);
  });

  it('receives every printed line; blank lines only for plain text', async () => {
    const linesOf = async (outputFormat: ParseContext['outputFormat'] | undefined) => {
      const seen: string[] = [];
      class Listening extends FakeAdapter {
        override readonly modes = new FakeAdapter({ steps: [] }).modes.map((mode) => ({ ...mode, outputFormat }));
        override parseEvent(line: string, context?: ParseContext): EventBody | null {
          seen.push(`${context?.source} ${context?.outputFormat} ${line}`);
          return null;
        }
      }
      const say = (text: string, to: 'stdout' | 'stderr' = 'stdout') => ({ do: 'line' as const, text, to });
      const steps = [say('a'), say(''), say(' \t'), say('b'), say('', 'stderr')];
      const events = await eventsOf(bench.use(new Listening({ steps })).run({ debug: true }));
      return { seen, logged: typed(events, 'log').map(({ line }) => line) };
    };
    const logged = ['a', 'b'];
    expect(await linesOf('jsonl')).toEqual({ seen: ['stdout jsonl a', 'stdout jsonl b'], logged });
    const all = ['stdout text a', 'stdout text ', 'stdout text  \t', 'stdout text b'];
    expect(await linesOf('text')).toEqual({ seen: all, logged });
    expect(await linesOf(undefined)).toEqual({ seen: all, logged });
  });

  it('collects blocks of stdout and stderr separately', async () => {
    class Gathering extends FakeAdapter {
      override parseEvent(line: string, context?: ParseContext): EventBody | null {
        if (!context || line.startsWith('{"type"')) return super.parseEvent(line);
        const { assembler, source } = context;
        if (line === '<') assembler.startBlock((each) => each === '>');
        const block = assembler.feed(line);
        return block === null ? null : { type: 'text_delta', delta: `${source}:${block.replaceAll('\n', '')} ` };
      }
    }
    const say = (text: string, to: 'stdout' | 'stderr') => [
      { do: 'line' as const, text, to },
      { do: 'wait' as const, ms: 30 },
    ];
    const steps = ['<', 'a', '>'].flatMap((each) => [...say(each, 'stdout'), ...say(each, 'stderr')]);
    const { text: collected } = await bench.use(new Gathering({ steps: [sessionStart, ...steps] })).run();
    expect(collected.trim().split(' ').sort()).toEqual(['stderr:<a>', 'stdout:<a>']);
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
