import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { event, next, sessionStart, text, turnEnd, useBench } from '../../test/engine.ts';
import type { RateLimitWindow } from '../contract/events.ts';
import { quotaAfter, quotaAt } from './quota.ts';

const bench = useBench();
const hour = 3_600_000;
const soon = Date.now() + hour;
const late = Date.now() + 24 * hour;
const open: RateLimitWindow = { window: 'five_hour', usedPercent: 91, resetsAt: soon, exhausted: false };
const full: RateLimitWindow = { window: 'seven_day', usedPercent: 100, resetsAt: late, exhausted: true };
const status = (...windows: RateLimitWindow[]) =>
  event({ type: 'rate_limit_status', limited: windows.some(({ exhausted }) => exhausted), windows });
const refused = (resetsAt?: number) =>
  event({ type: 'rate_limit_error', message: 'later', retrying: false, ...(resetsAt ? { resetsAt } : {}) });

describe('the quota of an agent', () => {
  it('is what it told in a run: its windows, what is used up, and the first that begins anew', async () => {
    const { run, client } = bench.fake([sessionStart, status(open, full), text('ok'), turnEnd]);
    expect(await client.quota('fake')).toBeNull();
    const { quota } = await run();
    expect(quota).toEqual({
      agent: 'fake',
      limited: true,
      windows: [open, full],
      earliestResetAt: late,
      asOf: expect.any(Number),
    });
    expect(await client.quota('fake')).toEqual(quota);
    expect((await bench.fake([sessionStart, status(open), turnEnd]).run()).quota).toMatchObject({
      limited: false,
      earliestResetAt: soon,
    });
    expect((await bench.fake([sessionStart, text('ok')]).run()).quota).toBeNull();
  });

  it('is used up after a refusal, also where no window was named, and open after the next answer', async () => {
    const home = bench.folder();
    const agent = (...steps: Parameters<typeof bench.fake>[0]) =>
      bench.fake(steps, {}, { env: { ...process.env, HOME: home, XDG_STATE_HOME: '' }, runIndex: join(home, 'index') });
    const limited = agent(sessionStart, refused(soon), event({ type: 'turn_end', status: 'failed' }));
    expect((await limited.run()).quota).toMatchObject({
      limited: true,
      windows: [{ window: 'requests', usedPercent: null, resetsAt: soon, exhausted: true }],
      earliestResetAt: soon,
    });
    const later = agent(sessionStart, text('ok'), turnEnd);
    expect(await later.client.quota('fake')).toMatchObject({ limited: true, earliestResetAt: soon });
    await later.run();
    expect(await later.client.quota('fake')).toMatchObject({ limited: false, windows: [], earliestResetAt: null });
  });

  it('is known while the run goes on', async () => {
    const { run, client } = bench.fake([sessionStart, status(full), text('x'), { do: 'hang' }]);
    const handle = run();
    await next(handle, 'text_delta');
    expect(await client.quota('fake')).toMatchObject({ limited: true, windows: [full] });
    await handle.abort();
  });

  it('is kept for other processes in a file of its own, whatever stands there, and not where nothing is to be kept', async () => {
    const home = bench.folder();
    const env = { ...process.env, HOME: home, XDG_STATE_HOME: '' };
    const steps = [sessionStart, status(full), turnEnd];
    await bench.fake(steps, {}, { env, runIndex: false }).run();
    expect(existsSync(join(home, '.local'))).toBe(false);
    const keeping = { env, runIndex: join(home, 'index') };
    await bench.fake(steps, {}, keeping).run();
    const folder = join(home, '.local/state/agent-mux/quota');
    expect(readdirSync(folder)).toEqual(['fake.json']);
    const file = join(folder, 'fake.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ schema: 'agent-mux.quota/1', agent: 'fake' });
    const other = () => bench.fake(steps, {}, keeping).client.quota('fake');
    expect(await other()).toMatchObject({ limited: true, windows: [full] });
    for (const broken of ['{', '[]', '{"schema":"agent-mux.quota/1"}', '{"windows":7}']) {
      writeFileSync(file, broken);
      expect(await other()).toBeNull();
    }
  });

  it('is not hidden by a file from a clock that was ahead, and knows no time that cannot be shown', async () => {
    const home = bench.folder();
    const keeping = { env: { ...process.env, HOME: home, XDG_STATE_HOME: '' }, runIndex: join(home, 'index') };
    const far = { ...full, resetsAt: 1e20 };
    const agent = () => bench.fake([sessionStart, status(far), turnEnd], {}, keeping);
    const { quota } = await agent().run();
    expect(() => new Date(quota?.earliestResetAt ?? 0).toISOString()).not.toThrow();
    const file = join(home, '.local/state/agent-mux/quota/fake.json');
    const kept = JSON.parse(readFileSync(file, 'utf8'));
    for (const hostile of [{ asOf: Date.now() + 24 * hour }, { earliestResetAt: 1e20 }, { windows: [far] }]) {
      writeFileSync(file, JSON.stringify({ ...kept, ...hostile }));
      expect(await agent().client.quota('fake')).toBeNull();
    }
  });

  it('is bounded, however many windows an agent tells of', async () => {
    const many = Array.from({ length: 200_000 }, (_, n) => ({ ...open, window: String(n) }));
    const told = { agent: 'fake', seq: 1, runId: 'r', timestamp: 1, turnIndex: 0 } as const;
    const quota = quotaAfter(null, { ...told, type: 'rate_limit_status', limited: false, windows: many });
    expect(quota?.windows).toHaveLength(100);
  });

  it('is open after a good answer where an agent has said that it is used up, and of which window it has not', async () => {
    const steps = [sessionStart, event({ type: 'rate_limit_status', limited: true, windows: [] })];
    expect((await bench.fake([...steps, text('ok'), turnEnd]).run()).quota).toMatchObject({ limited: false });
    const failed = event({ type: 'turn_end', status: 'failed' });
    expect((await bench.fake([...steps, failed]).run()).quota).toMatchObject({ limited: true });
  });

  it('forgets a window whose time has come', () => {
    const told = { agent: 'fake', limited: true, windows: [open, full], earliestResetAt: late, asOf: 1 };
    expect(quotaAt(told, soon - 1)).toBe(told);
    expect(quotaAt(told, late)).toEqual({
      agent: 'fake',
      limited: false,
      windows: [open, full].map(({ window }) => ({ window, usedPercent: null, resetsAt: null, exhausted: false })),
      earliestResetAt: null,
      asOf: 1,
    });
  });

  it('is not known of an agent that is not there', async () => {
    await expect(bench.fake([]).client.quota('nobody')).rejects.toMatchObject({ code: 'UNKNOWN_AGENT' });
  });
});
