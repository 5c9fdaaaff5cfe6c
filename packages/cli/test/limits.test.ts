import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { amux, createTestHome, type TestHome, TIMEOUT_MS } from './amux.ts';
import { FakeDaemon } from './fake-daemon.ts';
import { newLimit } from './fake-rows.ts';

const options = { timeout: TIMEOUT_MS };
let testHome: TestHome;
let daemon: FakeDaemon;
beforeEach(async () => {
  testHome = createTestHome();
  daemon = new FakeDaemon(testHome);
  await daemon.listen();
});
afterEach(() => daemon.die());

const later = (minutes: number) => Date.now() + minutes * 60_000 + 20_000;

describe('amux limits', () => {
  it('lists limited sessions with a countdown, paused accounts and budgets', options, async () => {
    expect((await amux(testHome, ['limits'])).stdout).toContain('No limited sessions.');
    const continuesAt = later(125);
    daemon.add({
      title: 'continues',
      onLimit: 'continue',
      activity: 'limited',
      limit: newLimit({ state: 'scheduled', resetsAt: later(124), continuesAt }),
    });
    daemon.add({ title: 'stays', activity: 'limited', limit: newLimit({ resetsAt: null }) });
    daemon.add({
      title: 'other',
      waitingFor: { kind: 'usage', message: 'the limit of demo is used up', until: later(5) },
    });
    const window = { window: 'five_hour', usedPercent: 100, resetsAt: later(5), exhausted: true };
    daemon.accounts = [
      {
        ...{ account: 'demo/12345678', agent: 'demo', limited: true, windows: [window], earliestResetAt: later(5) },
        ...{ asOf: Date.now(), source: 'stream', pausedUntil: later(5) },
      },
    ];
    daemon.budgets = [
      {
        ...{ per: 'day', label: 'of the day', agent: null, project: null, sessionId: null, usd: 5, tokens: null },
        ...{ usedUsd: 5.2, estimatedUsd: 1.1, unpricedCalls: 2, usedTokens: 10, exhausted: true, resetsAt: later(600) },
      },
    ];
    const { stdout } = await amux(testHome, ['limits']);
    expect(stdout).toMatch(/continue +continues +continues in 2 h 5 min, at 20\d\d-/);
    expect(stdout).toMatch(/pause +stays +paused until you continue it/);
    expect(stdout).toMatch(/other +queued messages are sent in 5 min/);
    expect(stdout).toMatch(/demo\/12345678: exhausted, resets in 5 min/);
    expect(stdout).toMatch(
      /of the day +\$5\.00 +\$5\.20, ~\$1\.10 of it estimated, 2 calls of unknown cost +exhausted/,
    );
    expect(stdout).toContain('up to 24 times a day (today: 1)');
    const quota = (await amux(testHome, ['quota'])).stdout;
    expect(quota).toMatch(/^demo\/12345678 +five_hour +100% +exhausted/m);
    expect((await amux(testHome, ['ps'])).stdout).toContain('continues in 2 h');
  });

  it('cancels, continues, sets the limit behavior and the budget', options, async () => {
    const { id } = daemon.add({ limit: newLimit({ state: 'scheduled', continuesAt: later(5) }) });
    const did = async (...args: string[]) => {
      expect(await amux(testHome, ['limits', ...args])).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(id),
      });
      return daemon.calls.at(-1);
    };
    expect(await did('cancel', id)).toMatchObject({ call: `POST /sessions/${id}/limit/cancel` });
    expect(await did('continue', id)).toMatchObject({ call: `POST /sessions/${id}/limit/continue` });
    expect(await did('set', id, 'continue')).toMatchObject({
      call: `PATCH /sessions/${id}`,
      body: { onLimit: 'continue' },
    });
    expect(await did('budget', id, '10usd')).toMatchObject({ body: { budget: { usd: 10 } } });
    expect(await did('budget', id, 'none')).toMatchObject({ body: { budget: null } });
    expect(await did('budget', id, '$1.5,200ktokens')).toMatchObject({
      body: { budget: { usd: 1.5, tokens: 200_000 } },
    });
    for (const wrong of ['ten', '0usd', '5', '-5usd', '5usd;tokens'])
      expect(await amux(testHome, ['limits', 'budget', id, wrong])).toMatchObject({ code: 2 });
    expect(await amux(testHome, ['limits', 'set', id, 'never'])).toMatchObject({ code: 2 });
  });
});

describe('amux new', () => {
  it('accepts --on-limit and --budget; amux run only with --detach', options, async () => {
    const given = ['-a', 'demo', '--no-stdin', '--on-limit', 'continue', '--budget', '5usd,2mtokens', 'hi'];
    for (const command of [
      ['new', ...given],
      ['run', '--detach', ...given],
    ]) {
      expect((await amux(testHome, command)).code).toBe(0);
      const { body } = daemon.calls.findLast(({ call }) => call === 'POST /sessions') ?? { body: null };
      expect(body).toMatchObject({ onLimit: 'continue', budget: { usd: 5, tokens: 2_000_000 } });
    }
    for (const wrong of [
      ['new', '-a', 'demo', '--no-stdin', '--on-limit', 'never', 'hi'],
      ['new', '-a', 'demo', '--no-stdin', '--budget', 'much', 'hi'],
      ['run', '-a', 'demo', '--no-stdin', '--on-limit', 'continue', 'hi'],
    ])
      expect(await amux(testHome, wrong)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/--on-limit|budget/),
      });
  });
});
