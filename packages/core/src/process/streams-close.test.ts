import { assertEventOrder } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { event, eventsOf, isAlive, reports, sessionStart, text, useBench } from '../../test/engine.ts';

const bench = useBench();

describe('end of a run', () => {
  it('comes after the streams have closed: 50 parallel runs lose no last line', async () => {
    const { run } = bench.fake([
      sessionStart,
      { do: 'flood', lines: 400, bytes: 500 },
      event({ type: 'title', title: 'the very last line' }),
      { do: 'event', event: { type: 'turn_end', status: 'completed', stopReason: 'last' }, ending: 'none' },
    ]);
    const runs = Array.from({ length: 50 }, async () => {
      const handle = run();
      const [events, result] = await Promise.all([eventsOf(handle), handle]);
      assertEventOrder(events);
      return {
        lines: events.filter(({ type }) => type === 'text_delta').length,
        title: events.some((each) => each.type === 'title'),
        last: events.find((each) => each.type === 'turn_end'),
        exit: [result.exitReason, result.exitCode],
      };
    });
    for (const outcome of await Promise.all(runs)) {
      expect(outcome).toMatchObject({ lines: 400, title: true, last: { stopReason: 'last' }, exit: ['completed', 0] });
    }
  }, 60_000);

  it('waits for a child that holds stdout and still prints', async () => {
    const { run } = bench.fake([
      sessionStart,
      text('agent, '),
      { do: 'grandchild', keepStdout: true, steps: [{ do: 'wait', ms: 400 }, text('child')] },
    ]);
    expect(await run()).toMatchObject({ text: 'agent, child', exitReason: 'completed', exitCode: 0 });
  });

  it('ends a child that holds stdout and is silent', async () => {
    const { run } = bench.fake([sessionStart, text('done'), { do: 'grandchild', keepStdout: true }]);
    const handle = run();
    const events = await eventsOf(handle);
    expect(await handle).toMatchObject({ text: 'done', exitReason: 'completed', exitCode: 0 });
    const [child] = reports(events, 'grandchild');
    expect(child?.pid).toBeTypeOf('number');
    expect(isAlive(child?.pid)).toBe(false);
  });
});
