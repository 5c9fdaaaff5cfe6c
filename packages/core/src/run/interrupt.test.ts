import { assertEventOrder, type Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import {
  event,
  eventsOf,
  isAlive,
  live,
  next,
  nextReport,
  nothingLeftOf,
  reports,
  sessionStart,
  text,
  turnEnd,
  typed,
  useBench,
} from '../../test/engine.ts';

const bench = useBench();
const hang: Step = { do: 'hang' };

describe('interrupt', () => {
  it("uses the live agent's own request; the same process runs the next turn", async () => {
    const { run } = bench.fake(
      live([{ do: 'describe' }, text('one'), hang], [{ do: 'describe' }, text('two'), turnEnd]),
    );
    const handle = run();
    const reading = eventsOf(handle);
    await next(handle, 'text_delta');
    await handle.interrupt();
    await handle.send('continue');
    expect(await handle).toMatchObject({ text: 'two', turnCount: 2, exitReason: 'completed', exitCode: 0 });
    const events = await reading;
    assertEventOrder(events);
    expect(typed(events, 'interrupted')).toMatchObject([{ by: 'caller', turnIndex: 0 }]);
    expect(typed(events, 'turn_end').map(({ status }) => status)).toEqual(['interrupted', 'completed']);
    const pids = reports(events, 'process').map(({ pid }) => pid);
    expect(pids[0]).toBe(pids[1]);
  });

  it('also ends children that a one-shot process moved to their own session', async () => {
    const leave: Step = { do: 'on-signal', signals: ['SIGINT'], run: [{ do: 'exit', code: 130 }] };
    const handle = bench
      .fake([leave, sessionStart, { do: 'grandchild', detached: true }, text('working'), hang])
      .run({ interactive: true });
    const reading = eventsOf(handle);
    const grandchild = nextReport(handle, 'grandchild');
    await next(handle, 'text_delta');
    await handle.interrupt();
    expect(isAlive(Number((await grandchild).pid))).toBe(false);
    await handle.end();
    await reading;
  });

  it('signals a one-shot process; the next one resumes the session', async () => {
    const onInterrupt: Step = {
      do: 'on-signal',
      signals: ['SIGINT'],
      run: [text(' stopped'), { do: 'exit', code: 130 }],
    };
    const counterFile = `${bench.folder()}/count`;
    const attempts: Step[][] = [
      [onInterrupt, event({ type: 'session_start', sessionId: 'native-1' }), text('working'), hang],
      [sessionStart, text('resumed {{session}}')],
    ];
    const handle = bench.fake([{ do: 'by-attempt', counterFile, attempts }]).run();
    const reading = eventsOf(handle);
    await next(handle, 'text_delta');
    await handle.interrupt();
    expect(handle.text).toBe('working stopped');
    await handle.send('continue');
    const result = await handle;
    expect(result).toMatchObject({ text: 'resumed native-1', turnCount: 2, exitReason: 'completed' });
    const events = await reading;
    assertEventOrder(events);
    expect(typed(events, 'turn_end').map(({ status }) => status)).toEqual(['interrupted', 'completed']);
  });

  it('ends the run as interrupted if no turn follows', async () => {
    const handle = bench.fake(live([text('one'), hang])).run();
    await next(handle, 'text_delta');
    await handle.interrupt();
    expect(await handle).toMatchObject({ text: 'one', exitReason: 'interrupted', error: null });
  });

  it('does nothing the second time or between turns', async () => {
    const handle = bench.fake(live([text('one'), hang])).run({ interactive: true });
    const reading = eventsOf(handle);
    await next(handle, 'text_delta');
    await Promise.all([handle.interrupt(), handle.interrupt()]);
    await handle.interrupt();
    await handle.end();
    expect(typed(await reading, 'interrupted')).toHaveLength(1);
  });

  it('withdraws open requests', async () => {
    const ask: Step = {
      do: 'ask',
      event: { type: 'approval_request', requestId: 'q', toolName: 'Bash', title: 'ls', options: [] },
    };
    const handle = bench.fake(live([ask, turnEnd])).run();
    const reading = eventsOf(handle);
    await next(handle, 'approval_request');
    await handle.interrupt();
    expect(handle.pending()).toEqual([]);
    await handle;
    expect(typed(await reading, 'approval_resolved')).toMatchObject([{ outcome: 'cancelled', by: 'caller' }]);
  });

  it('ends the run before anything was sent', async () => {
    const handle = bench.fake(live([text('never'), turnEnd])).run();
    await handle.interrupt();
    expect(await handle).toMatchObject({ text: '', exitReason: 'interrupted' });
    expect(nothingLeftOf(handle)).toBe(true);
    assertEventOrder(await eventsOf(handle));
  });

  it('ends the run as interrupted if the agent dies', async () => {
    const steps: Step[] = [{ do: 'live', turns: [[text('one'), hang]], onInterrupt: [{ do: 'exit', code: 3 }] }];
    const handle = bench.fake(steps).run();
    await next(handle, 'text_delta');
    await handle.interrupt();
    expect(await handle).toMatchObject({ exitReason: 'interrupted', exitCode: 3 });
  });
});

describe.concurrent('agent that ignores an interrupt', () => {
  it('is killed after a grace period (live)', async () => {
    const steps: Step[] = [{ do: 'live', turns: [[text('deaf'), hang]], onInterrupt: 'ignore' }];
    const handle = bench.fake(steps).run();
    await next(handle, 'text_delta');
    await handle.interrupt();
    expect(await handle).toMatchObject({ exitReason: 'interrupted' });
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it('is killed after a grace period (one-shot)', async () => {
    const steps: Step[] = [{ do: 'ignore-signals', signals: ['SIGINT'] }, sessionStart, { do: 'describe' }, hang];
    const handle = bench.fake(steps).run();
    await nextReport(handle, 'process');
    await handle.interrupt();
    expect(await handle).toMatchObject({ exitReason: 'interrupted' });
    expect(nothingLeftOf(handle)).toBe(true);
  });
});
