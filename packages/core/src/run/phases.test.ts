import { FakeAdapter, type Step } from '@agent-mux/testkit';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { event, live, next, sessionStart, text, turnEnd, useBench } from '../../test/engine.ts';
import { NEXT_PHASES, type Phase, Phases } from './phases.ts';

const bench = useBench();
const hang: Step = { do: 'hang' };
const limited = event({ type: 'rate_limit_error', message: 'quota exceeded', retrying: true, retryAfterMs: 5 });
const retried = { retryPolicy: { maxRetries: 1, initialDelayMs: 1 } };
const answers = [sessionStart, text('done'), turnEnd];
const background = [
  event({ type: 'subagent_start', subagentId: 'task' }),
  text('started'),
  turnEnd,
  event({ type: 'subagent_end', subagentId: 'task', status: 'completed' }),
  text('it has ended'),
  turnEnd,
];

/** Every transition of any run in this file. */
const transitions = new Set<string>();
const enter = Phases.prototype.enter;
vi.spyOn(Phases.prototype, 'enter').mockImplementation(function (this: Phases, next) {
  transitions.add(`${this.now} → ${next}`);
  enter.call(this, next);
});
afterAll(() => vi.restoreAllMocks());

describe('run phases', () => {
  const all = Object.keys(NEXT_PHASES) as Phase[];

  it('reject a transition that is not in the table', () => {
    expect(() => new Phases().enter('idle')).toThrow('invalid phase transition from "opening" to "idle"');
  });

  it('reach the end from every phase and never leave it', () => {
    const leadsOver = (from: Phase): boolean =>
      from === 'over' || NEXT_PHASES[from].includes('closing') || from === 'closing';
    expect(all.filter((phase) => !leadsOver(phase))).toEqual([]);
    expect(NEXT_PHASES.over).toEqual([]);
  });

  it('cover every transition of the table in real runs', async () => {
    // A process per turn, and one for all turns.
    await bench.fake([{ do: 'read-all' }, ...answers], { mode: 'oneshot' }).run();
    const twice = bench.fake(live([text('one'), turnEnd])).run();
    await twice.send('two');
    await twice;
    // The agent starts a turn on its own: while its process still runs, and between turns.
    await bench.fake([sessionStart, ...background], { mode: 'oneshot' }).run();
    await bench.fake(live(background)).run();
    // A turn that is retried; a run that is ended during the retry delay.
    const counterFile = `${bench.folder()}/count`;
    await bench
      .fake([{ do: 'by-attempt', counterFile, attempts: [[sessionStart, limited, hang], answers] }])
      .run(retried);
    const waiting = bench.fake([sessionStart, limited, hang]).run({
      retryPolicy: { maxRetries: 1, initialDelayMs: 60_000, maxDelayMs: 60_000 },
    });
    await next(waiting, 'retry');
    await new Promise((resolve) => setImmediate(resolve));
    await waiting.abort();
    // Ended in every other phase.
    const { client, adapter } = bench.fake(answers);
    await client.run({ agent: adapter.agent, prompt: 'go' }).abort();
    const working = bench.fake([sessionStart, text('…'), hang]).run();
    await next(working, 'text_delta');
    await working.abort();
    const staying = bench.fake([...answers, hang], { mode: 'oneshot' }).run();
    await next(staying, 'turn_end');
    await new Promise((resolve) => setImmediate(resolve));
    await staying.abort();
    // A run that cannot start is over immediately: before the connection is open, and when it is.
    const closed = Object.assign(new FakeAdapter({ steps: answers }), {
      beforeSpawn: () => Promise.reject(new Error('not today')),
    });
    await expect(bench.use(closed).run().result).rejects.toThrow('not today');
    const unplanned = new FakeAdapter({ steps: answers, mode: 'oneshot' });
    unplanned.buildSpawnArgs = () => {
      throw new Error('no plan');
    };
    await expect(bench.use(unplanned).run().result).rejects.toThrow('no plan');
    const expected = all.flatMap((from) => NEXT_PHASES[from].map((to) => `${from} → ${to}`));
    expect([...transitions].toSorted()).toEqual(expect.arrayContaining(expected.toSorted()));
  });
});

describe('run that is ended by a listener', () => {
  it.each(['turn_start', 'turn_end', 'retry'] as const)('ends once at %s', async (type) => {
    const steps = type === 'retry' ? [sessionStart, limited, hang] : [...answers, hang];
    const handle = bench.fake(steps, { mode: 'oneshot' }).run(retried);
    handle.once(type, () => void handle.abort('enough'));
    expect(await handle).toMatchObject({ exitReason: 'aborted', error: { message: 'enough' } });
  });
});
