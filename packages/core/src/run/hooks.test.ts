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
/** The n-th process runs the n-th list of steps. */
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
  ] as const)('is called once for an exit with %s and reports all its events', async (how, exitReason, steps) => {
    const handle = bench.use(new Noting({ steps: [...steps] })).run();
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(notesOf(events)).toEqual([`left with ${how}`, 'and that was all']);
    expect(await handle).toMatchObject({ exitReason });
  });

  it('is called for every process of a run and once for a conversation', async () => {
    const twice = bench.use(new Noting({ steps: hello })).run();
    await twice.send('again');
    expect(notesOf(await eventsOf(twice))).toHaveLength(4);
    const talk = bench.use(new Noting({ steps: live([text('one'), turnEnd]) })).run();
    expect(notesOf(await eventsOf(talk))).toEqual(['left with 0', 'and that was all']);
  });

  it('turns no exit into a crash after the turn was over', async () => {
    const handle = bench.use(new Noting({ steps: [...hello, exit(1)] })).run();
    const events = await eventsOf(handle);
    expect(notesOf(events)).toContain('left with 1');
    expect(typed(events, 'crash')).toEqual([]);
    expect(await handle).toMatchObject({ exitReason: 'completed', exitCode: 1 });
  });

  it('can interpret an exit code', async () => {
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

  it('reports the returned event, and a crash unless that is terminal', async () => {
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
  ] as const)('is called when a limit of the kind "%s" has passed', async (kind, limit) => {
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

  it('comes after the events of an unfinished block', async () => {
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

  it('decides even about a failure that the policy does not list', async () => {
    const calls: [string, number][] = [];
    class Stubborn extends FakeAdapter {
      override shouldRetry(each: EventBody, attempt: number): boolean {
        calls.push([each.type, attempt]);
        return true;
      }
    }
    const login: Step[] = [sessionStart, event({ type: 'auth_error', message: 'busy' }), exit(1)];
    const steps = attempts(login, [sessionStart, exit(1)], hello);
    expect(await bench.use(new Stubborn({ steps, mode: 'oneshot' })).run({ retryPolicy: policy })).toMatchObject({
      text: 'hello',
      exitReason: 'completed',
    });
    expect(calls).toEqual([
      ['auth_error', 0],
      ['crash', 1],
    ]);
  });

  it('can decide against a retry and gets no more attempts than the policy allows', async () => {
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

  it('receives whether a failure is recoverable; an unrecoverable one is not retried', async () => {
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

describe('recoverable failure', () => {
  const overloaded = event({ type: 'error', code: 'SERVER_ERROR', message: 'overloaded', recoverable: true });

  it('is the error of the run if nothing follows it', async () => {
    for (const end of [exit(0), exit(1), event({ type: 'turn_end', status: 'failed' })]) {
      expect(await bench.fake([sessionStart, overloaded, end]).run()).toMatchObject({
        exitReason: 'failed',
        error: { code: 'SERVER_ERROR', message: 'overloaded' },
      });
    }
  });

  it('is dropped if the agent recovers', async () => {
    expect(await bench.fake([sessionStart, overloaded, text('continued')]).run()).toMatchObject({
      exitReason: 'completed',
      error: null,
      text: 'continued',
    });
  });
});

describe('spawn arguments of an adapter', () => {
  const launching = (over: Partial<SpawnArgs>) =>
    class extends FakeAdapter {
      override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
        return { ...super.buildSpawnArgs(options), ...over };
      }
    };

  it('limit the inactivity of a one-shot process', async () => {
    const Silent = launching({ inactivityTimeout: 800 });
    const handle = bench.use(new Silent({ steps: [sessionStart, hang] })).run();
    expect(typed(await eventsOf(handle), 'timeout')).toMatchObject([{ kind: 'inactivity', limitMs: 800 }]);
  });

  it('limit the process, not the time between two turns', async () => {
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

  it("may name another command than the agent's own", async () => {
    class Extension extends FakeAdapter {
      override readonly cliCommand = 'not-to-be-found-anywhere' as never;
      override readonly needsNoInstall = false;
    }
    expect(await bench.use(new Extension({ steps: hello })).run()).toMatchObject({ text: 'hello' });
  });
});

describe('detectInstallation', () => {
  class Located extends FakeAdapter {
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

  it('decides for a run where the agent is, and that it is missing', async () => {
    const { client, run } = bench.use(new Located({ steps: hello }));
    expect(await run()).toMatchObject({ text: 'hello' });
    expect(await client.adapters.version('fake')).toBe('4.2.0');
    const absent = new Located({ steps: hello });
    absent.found = { ...absent.found, installed: false };
    await expect(bench.use(absent).run()).rejects.toMatchObject({ code: 'AGENT_NOT_INSTALLED' });
  });
});
