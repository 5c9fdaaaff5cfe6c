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

describe('quota of an agent', () => {
  it('has the reported windows, the exhausted ones and the first reset', async () => {
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

  it('is exhausted after an unnamed rejection and open after the next answer', async () => {
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

  it('is available during the run', async () => {
    const { run, client } = bench.fake([sessionStart, status(full), text('x'), { do: 'hang' }]);
    const handle = run();
    await next(handle, 'text_delta');
    expect(await client.quota('fake')).toMatchObject({ limited: true, windows: [full] });
    await handle.abort();
  });

  it('is stored in its own file for other processes, unless storing is disabled', async () => {
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

  it('ignores a file from the future and times that cannot be displayed', async () => {
    const home = bench.folder();
    const keeping = { env: { ...process.env, HOME: home, XDG_STATE_HOME: '' }, runIndex: join(home, 'index') };
    const far = { ...full, resetsAt: 1e20 };
    const agent = () => bench.fake([sessionStart, status(far), turnEnd], {}, keeping);
    const { quota } = await agent().run();
    expect(() => new Date(quota?.earliestResetAt ?? 0).toISOString()).not.toThrow();
    const file = join(home, '.local/state/agent-mux/quota/fake.json');
    const stored = JSON.parse(readFileSync(file, 'utf8'));
    for (const hostile of [{ asOf: Date.now() + 24 * hour }, { earliestResetAt: 1e20 }, { windows: [far] }]) {
      writeFileSync(file, JSON.stringify({ ...stored, ...hostile }));
      expect(await agent().client.quota('fake')).toBeNull();
    }
  });

  it('limits the number of windows', async () => {
    const many = Array.from({ length: 200_000 }, (_, n) => ({ ...open, window: String(n) }));
    const envelope = { agent: 'fake', seq: 1, runId: 'r', timestamp: 1, turnIndex: 0 } as const;
    const quota = quotaAfter(null, { ...envelope, type: 'rate_limit_status', limited: false, windows: many });
    expect(quota?.windows).toHaveLength(100);
  });

  it('is open after an answer even if the exhausted window was not named', async () => {
    const steps = [sessionStart, event({ type: 'rate_limit_status', limited: true, windows: [] })];
    expect((await bench.fake([...steps, text('ok'), turnEnd]).run()).quota).toMatchObject({ limited: false });
    const failed = event({ type: 'turn_end', status: 'failed' });
    expect((await bench.fake([...steps, failed]).run()).quota).toMatchObject({ limited: true });
  });

  it('forgets a window after its reset', () => {
    const reported = { agent: 'fake', limited: true, windows: [open, full], earliestResetAt: late, asOf: 1 };
    expect(quotaAt(reported, soon - 1)).toBe(reported);
    expect(quotaAt(reported, late)).toEqual({
      agent: 'fake',
      limited: false,
      windows: [open, full].map(({ window }) => ({ window, usedPercent: null, resetsAt: null, exhausted: false })),
      earliestResetAt: null,
      asOf: 1,
    });
  });

  it('is unknown for an agent that is not registered', async () => {
    await expect(bench.fake([]).client.quota('absent')).rejects.toMatchObject({ code: 'UNKNOWN_AGENT' });
  });
});
