import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { amux, newPlace, PATIENCE_MS, type Place } from './amux.ts';
import { FakeDaemon } from './fake-daemon.ts';
import { newLimit } from './fake-rows.ts';

const options = { timeout: PATIENCE_MS };
let place: Place;
let daemon: FakeDaemon;
beforeEach(async () => {
  place = newPlace();
  daemon = new FakeDaemon(place);
  await daemon.listen();
});
afterEach(() => daemon.die());

const later = (minutes: number) => Date.now() + minutes * 60_000 + 20_000;

describe('amux limits', () => {
  it('shows who waits, with a countdown, what is paused, and what is left of budgets', options, async () => {
    expect((await amux(place, ['limits'])).stdout).toContain('No session waits for a limit.');
    const continuesAt = later(125);
    daemon.add({
      title: 'goes on',
      onLimit: 'wait',
      activity: 'limited',
      limit: newLimit({ state: 'waits', resetsAt: later(124), continuesAt }),
    });
    daemon.add({ title: 'stays', activity: 'limited', limit: newLimit({ resetsAt: null }) });
    daemon.add({
      title: 'other',
      waitsFor: { kind: 'usage', message: 'the limit of demo is used up', until: later(5) },
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
        ...{ per: 'day', of: 'of the day', agent: null, project: null, sessionId: null, usd: 5, tokens: null },
        ...{ usedUsd: 5.2, estimatedUsd: 1.1, unknownCosts: 2, usedTokens: 10, spent: true, liftsAt: later(600) },
      },
    ];
    const { stdout } = await amux(place, ['limits']);
    expect(stdout).toMatch(/wait +goes on +goes on in 2 h 5 min, at 20\d\d-/);
    expect(stdout).toMatch(/stop +stays +waits for you/);
    expect(stdout).toMatch(/other +what is queued is sent in 5 min/);
    expect(stdout).toMatch(/demo\/12345678: used up, lifted in 5 min/);
    expect(stdout).toMatch(/of the day +\$5\.00 +\$5\.20, ~\$1\.10 of it estimated, 2 calls of unknown cost +used up/);
    expect(stdout).toContain('24 times a day at most (today: 1)');
    const quota = (await amux(place, ['quota'])).stdout;
    expect(quota).toMatch(/^demo\/12345678 +five_hour +100% +used up/m);
    expect((await amux(place, ['ps'])).stdout).toContain('goes on in 2 h');
  });

  it('cancels, goes on, changes what a session does, and raises its budget', options, async () => {
    const { id } = daemon.add({ limit: newLimit({ state: 'waits', continuesAt: later(5) }) });
    const did = async (...words: string[]) => {
      expect(await amux(place, ['limits', ...words])).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
      return daemon.calls.at(-1);
    };
    expect(await did('cancel', id)).toMatchObject({ call: `POST /sessions/${id}/limit/cancel` });
    expect(await did('now', id)).toMatchObject({ call: `POST /sessions/${id}/limit/continue` });
    expect(await did('set', id, 'wait')).toMatchObject({ call: `PATCH /sessions/${id}`, body: { onLimit: 'wait' } });
    expect(await did('raise', id, '10usd')).toMatchObject({ body: { budget: { usd: 10 } } });
    expect(await did('raise', id, 'none')).toMatchObject({ body: { budget: null } });
    expect(await did('raise', id, '$1.5,200ktokens')).toMatchObject({
      body: { budget: { usd: 1.5, tokens: 200_000 } },
    });
    for (const wrong of ['ten', '0usd', '5', '-5usd', '5usd;tokens'])
      expect(await amux(place, ['limits', 'raise', id, wrong])).toMatchObject({ code: 2 });
    expect(await amux(place, ['limits', 'set', id, 'never'])).toMatchObject({ code: 2 });
  });
});

describe('amux new', () => {
  it(
    'takes what a session does at a limit, and what it may use; amux run does so with --detach alone',
    options,
    async () => {
      const given = ['-a', 'demo', '--no-stdin', '--on-limit', 'wait', '--budget', '5usd,2mtokens', 'hi'];
      for (const command of [
        ['new', ...given],
        ['run', '--detach', ...given],
      ]) {
        expect((await amux(place, command)).code).toBe(0);
        const { body } = daemon.calls.findLast(({ call }) => call === 'POST /sessions') ?? { body: null };
        expect(body).toMatchObject({ onLimit: 'wait', budget: { usd: 5, tokens: 2_000_000 } });
      }
      for (const wrong of [
        ['new', '-a', 'demo', '--no-stdin', '--on-limit', 'never', 'hi'],
        ['new', '-a', 'demo', '--no-stdin', '--budget', 'much', 'hi'],
        ['run', '-a', 'demo', '--no-stdin', '--on-limit', 'wait', 'hi'],
      ])
        expect(await amux(place, wrong)).toMatchObject({ code: 2, stderr: expect.stringMatching(/--on-limit|budget/) });
    },
  );
});
