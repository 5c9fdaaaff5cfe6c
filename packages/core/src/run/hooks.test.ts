import { assertEventOrder, FakeAdapter, type Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { event, eventsOf, live, sessionStart, text, turnEnd, typed, useBench } from '../../test/engine.ts';
import type { ParseContext, SpawnArgs } from '../contract/adapter.ts';
import type { EventBody } from '../contract/events.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';

const bench = useBench();
const hang: Step = { do: 'hang' };
const hello = [sessionStart, text('hello'), turnEnd];
const exit = (code: number): Step => ({ do: 'exit', code });
/** The n-th process does the n-th list. */
const attempts = (...lists: Step[][]): Step[] => [
  { do: 'by-attempt', counterFile: `${bench.folder()}/count`, attempts: lists },
];
const note = (message: string): EventBody => ({ type: 'debug', level: 'info', code: 'hook', message });
const notesOf = (events: Awaited<ReturnType<typeof eventsOf>>) =>
  typed(events, 'debug').flatMap(({ code, message }) => (code === 'hook' ? [message] : []));

describe('onProcessExit', () => {
  class Noting extends FakeAdapter {
    override onProcessExit(code: number | null, signal: string | null): EventBody[] {
      return [note(`left with ${code ?? signal}`), note('and that was all'), ...super.onProcessExit(code, signal)];
    }
  }

  it.each([
    ['0', 'completed', hello],
    ['3', 'crashed', [sessionStart, exit(3)]],
    ['SIGSEGV', 'crashed', [sessionStart, { do: 'kill-self', signal: 'SIGSEGV' } satisfies Step]],
  ] as const)('is asked once for an exit with %s, and all of it is told', async (how, exitReason, steps) => {
    const handle = bench.use(new Noting({ steps: [...steps] })).run();
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(notesOf(events)).toEqual([`left with ${how}`, 'and that was all']);
    expect(await handle).toMatchObject({ exitReason });
  });

  it('is asked for every process of a run, and for the one of a conversation', async () => {
    const twice = bench.use(new Noting({ steps: hello })).run();
    await twice.send('again');
    expect(notesOf(await eventsOf(twice))).toHaveLength(4);
    const talk = bench.use(new Noting({ steps: live([text('one'), turnEnd]) })).run();
    expect(notesOf(await eventsOf(talk))).toEqual(['left with 0', 'and that was all']);
  });

  it('makes no crash of a turn that was over', async () => {
    const handle = bench.use(new Noting({ steps: [...hello, exit(1)] })).run();
    const events = await eventsOf(handle);
    expect(notesOf(events)).toContain('left with 1');
    expect(typed(events, 'crash')).toEqual([]);
    expect(await handle).toMatchObject({ exitReason: 'completed', exitCode: 1 });
  });

  it('can say what an exit code means', async () => {
    class Limited extends FakeAdapter {
      override onProcessExit(code: number | null): EventBody[] {
        return code === 75 ? [{ type: 'rate_limit_error', message: 'come back later', retrying: false }] : [];
      }
    }
    const handle = bench.use(new Limited({ steps: [sessionStart, exit(75)] })).run();
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'crash')).toEqual([]);
    expect(await handle).toMatchObject({ exitReason: 'rate_limited', error: { message: 'come back later' } });
  });
});

describe('onSpawnError', () => {
  class Missing extends FakeAdapter {
    override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
      return { ...super.buildSpawnArgs(options), command: '/nonexistent/agent' };
    }
  }
  class Helpful extends Missing {
    override onSpawnError(error: Error): EventBody {
      return note(`try another one: ${error.message}`);
    }
  }
  class Decided extends Missing {
    override onSpawnError(): EventBody {
      return { type: 'error', code: 'AGENT_NOT_INSTALLED', message: 'get it first', recoverable: false };
    }
  }

  it('tells what it returns, and a crash unless that says it all', async () => {
    const helpful = await eventsOf(bench.use(new Helpful({ steps: [] })).run());
    assertEventOrder(helpful);
    expect(notesOf(helpful)).toEqual([expect.stringContaining('ENOENT')]);
    expect(typed(helpful, 'crash')).toHaveLength(1);
    const handle = bench.use(new Decided({ steps: [] })).run();
    expect(typed(await eventsOf(handle), 'error')).toMatchObject([{ message: 'get it first' }]);
    expect(await handle).toMatchObject({ exitReason: 'failed', error: { code: 'AGENT_NOT_INSTALLED' } });
  });
});

describe('onTimeout', () => {
  it.each([
    ['run', { timeout: 700 }],
    ['inactivity', { inactivityTimeout: 700 }],
  ] as const)('is asked when a limit of the kind "%s" has passed', async (kind, limit) => {
    class Patient extends FakeAdapter {
      override onTimeout(which?: string): EventBody {
        return note(`too late: ${which}`);
      }
    }
    const events = await eventsOf(bench.use(new Patient({ steps: [sessionStart, hang] })).run(limit));
    assertEventOrder(events);
    expect(notesOf(events)).toEqual([`too late: ${kind}`]);
    expect(typed(events, 'timeout')).toMatchObject([{ kind }]);
  });

  it('comes after what a decoder had kept for the end of a block', async () => {
    class Gathering extends FakeAdapter {
      override parseEvent(line: string, context?: ParseContext): EventBody | null {
        if (line === 'begin') context?.assembler.startBlock((each) => each === 'end');
        const block = context?.assembler.feed(line) ?? null;
        return block?.startsWith('begin') ? { type: 'text_delta', delta: block } : super.parseEvent(line);
      }
    }
    const steps: Step[] = [sessionStart, { do: 'line', text: 'begin' }, { do: 'line', text: 'half' }, hang];
    const handle = bench.use(new Gathering({ steps, mode: 'oneshot' })).run({ inactivityTimeout: 1000 });
    expect(await handle).toMatchObject({ exitReason: 'inactivity', text: 'begin\nhalf' });
  });
});

describe('shouldRetry', () => {
  const policy = { maxRetries: 2, initialDelayMs: 1 };

  it('decides: also for a failure that the policy does not name', async () => {
    const asked: [string, number][] = [];
    class Stubborn extends FakeAdapter {
      override shouldRetry(each: EventBody, attempt: number): boolean {
        asked.push([each.type, attempt]);
        return true;
      }
    }
    const login: Step[] = [sessionStart, event({ type: 'auth_error', message: 'busy' }), exit(1)];
    const steps = attempts(login, [sessionStart, exit(1)], hello);
    expect(await bench.use(new Stubborn({ steps, mode: 'oneshot' })).run({ retryPolicy: policy })).toMatchObject({
      text: 'hello',
      exitReason: 'completed',
    });
    expect(asked).toEqual([
      ['auth_error', 0],
      ['crash', 1],
    ]);
  });

  it('decides against it, too, and never gets more attempts than the policy has', async () => {
    class Resigned extends FakeAdapter {
      override shouldRetry(): boolean {
        return false;
      }
    }
    const resigned = bench.use(new Resigned({ steps: attempts([sessionStart, exit(1)], hello), mode: 'oneshot' }));
    expect(await resigned.run({ retryPolicy: policy })).toMatchObject({ exitReason: 'crashed' });
    class Endless extends FakeAdapter {
      override shouldRetry(): boolean {
        return true;
      }
    }
    const events = await eventsOf(
      bench.use(new Endless({ steps: [sessionStart, exit(1)] })).run({ retryPolicy: policy }),
    );
    expect(typed(events, 'retry')).toHaveLength(2);
  });

  it('is told of a failure whether it may pass; one that may not is not tried again', async () => {
    const failing = (recoverable: boolean): Step[] => [
      sessionStart,
      event({ type: 'error', code: 'SERVER_ERROR', message: 'overloaded', recoverable }),
      event({ type: 'turn_end', status: 'failed' }),
    ];
    const run = (recoverable: boolean) =>
      bench.fake(attempts(failing(recoverable), hello), { mode: 'oneshot' }).run({ retryPolicy: policy });
    expect(await run(true)).toMatchObject({ text: 'hello', error: null });
    expect(await run(false)).toMatchObject({ exitReason: 'failed', error: { code: 'SERVER_ERROR' } });
  });
});

describe('a failure that may pass', () => {
  const overloaded = event({ type: 'error', code: 'SERVER_ERROR', message: 'overloaded', recoverable: true });

  it('is what the run failed of, where nothing came after it', async () => {
    for (const end of [exit(0), exit(1), event({ type: 'turn_end', status: 'failed' })]) {
      expect(await bench.fake([sessionStart, overloaded, end]).run()).toMatchObject({
        exitReason: 'failed',
        error: { code: 'SERVER_ERROR', message: 'overloaded' },
      });
    }
  });

  it('is forgotten where the agent has overcome it', async () => {
    expect(await bench.fake([sessionStart, overloaded, text('went on')]).run()).toMatchObject({
      exitReason: 'completed',
      error: null,
      text: 'went on',
    });
  });
});

describe('what an adapter says of its launch', () => {
  const launching = (over: Partial<SpawnArgs>) =>
    class extends FakeAdapter {
      override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
        return { ...super.buildSpawnArgs(options), ...over };
      }
    };

  it('limits the silence of a process per turn', async () => {
    const Silent = launching({ inactivityTimeout: 800 });
    const handle = bench.use(new Silent({ steps: [sessionStart, hang] })).run();
    expect(typed(await eventsOf(handle), 'timeout')).toMatchObject([{ kind: 'inactivity', limitMs: 800 }]);
  });

  it('limits its process, and not the time between two turns', async () => {
    const Short = launching({ timeout: 3000 });
    const handle = bench.use(new Short({ steps: hello })).run({ interactive: true });
    for await (const each of handle) {
      if (each.type !== 'turn_end') continue;
      if (each.turnIndex === 1) break;
      await new Promise((resolve) => setTimeout(resolve, 3300));
      await handle.send('still there?');
    }
    expect(await handle.end()).toMatchObject({ exitReason: 'completed', turnCount: 2 });
  });

  it('may name another command than the one that the agent is known by', async () => {
    class Extension extends FakeAdapter {
      override readonly cliCommand = 'not-to-be-found-anywhere' as never;
      override readonly needsNoInstall = false;
    }
    expect(await bench.use(new Extension({ steps: hello })).run()).toMatchObject({ text: 'hello' });
  });
});

describe('detectInstallation', () => {
  class Placed extends FakeAdapter {
    override readonly cliCommand = 'not-to-be-found-anywhere' as never;
    override readonly needsNoInstall = false;
    found = { installed: true, path: process.execPath, version: '4.2.0' };
    async detectInstallation() {
      return this.found;
    }
    override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
      return { ...super.buildSpawnArgs(options), command: this.cliCommand };
    }
  }

  it('is believed by a run: where the agent is, and that it is not there', async () => {
    const { client, run } = bench.use(new Placed({ steps: hello }));
    expect(await run()).toMatchObject({ text: 'hello' });
    expect(await client.adapters.version('fake')).toBe('4.2.0');
    const absent = new Placed({ steps: hello });
    absent.found = { ...absent.found, installed: false };
    await expect(bench.use(absent).run()).rejects.toMatchObject({ code: 'AGENT_NOT_INSTALLED' });
  });
});
