import { createHash } from 'node:crypto';
import type { Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { eventsOf, live, nextReport, reports, sessionStart, text, turnEnd, useBench } from '../../test/engine.ts';

const bench = useBench();

describe('stdin', () => {
  it('delivers a prompt of 10 MB, then its end', async () => {
    const prompt = 'a prompt, é漢😀\n'.repeat(600_000);
    const handle = bench.fake([sessionStart, { do: 'read-all' }, text('read')]).run({ prompt });
    const [end] = reports(await eventsOf(handle), 'stdin_end');
    const bytes = Buffer.from(prompt);
    expect(bytes.length).toBeGreaterThan(10_000_000);
    expect(end).toMatchObject({ bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
    expect(await handle).toMatchObject({ text: 'read', exitReason: 'completed' });
  });

  it('is closed for an agent that waits for its end', async () => {
    const handle = bench.fake([sessionStart, { do: 'read-all' }]).run({ prompt: 'short' });
    expect(reports(await eventsOf(handle), 'stdin_end')).toMatchObject([{ bytes: 5 }]);
  });

  it('may be closed early by the agent without failing the run', async () => {
    const steps = [sessionStart, { do: 'close-stdin' as const }, text('never read it')];
    const result = await bench.fake(steps).run({ prompt: 'x'.repeat(10_000_000) });
    expect(result).toMatchObject({ text: 'never read it', exitReason: 'completed', exitCode: 0 });
  });

  it('may be closed by a live agent, which then gets no input', async () => {
    const steps: Step[] = [sessionStart, { do: 'close-stdin' }, { do: 'wait', ms: 300 }, text('done'), turnEnd];
    const handle = bench.fake(steps, { mode: 'live', waitForSession: false }).run();
    await nextReport(handle, 'stdin_closed');
    await handle.steer('x'.repeat(1_000_000));
    expect(await handle).toMatchObject({ text: 'done', exitReason: 'completed' });
  });

  it('of a live agent stays open until the run ends', async () => {
    const after = { do: 'event' as const, event: { type: 'title' as const, title: 'after stdin' } };
    const handle = bench.fake([...live([text('done'), turnEnd]), after]).run();
    const events = await eventsOf(handle);
    expect(events.some((each) => each.type === 'title')).toBe(true);
    expect(await handle).toMatchObject({ text: 'done', exitReason: 'completed', exitCode: 0 });
  });
});
