import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ask,
  fine,
  finishTurn,
  home,
  now,
  nudge,
  outcomes,
  type Received,
  receive,
  rule,
  SECRET,
  session,
  setClock,
  startNotifier,
  TIMEOUT,
  useTestHome,
  webhook,
} from '../../test/notifiers.ts';
import { createLimit } from '../store/suite/fixtures.ts';
import type { Target } from './notify-settings.ts';
import { parseQuietHours } from './quiet-hours.ts';

useTestHome();

describe('webhook', () => {
  it('receives a request once, signed, truncated and without secrets', async () => {
    const { got, url } = await receive(fine);
    const notifier = await startNotifier([webhook('phone', url)], [rule({ to: ['phone'] })]);
    await home.store.insertSession(session('one', { agent: 'claude', activity: 'active' }));
    await ask(
      'req1',
      'one',
      `Run: curl -H "authorization: Bearer abcdefghijklmnop" hunter2-hunter2 \n${'x'.repeat(5000)}`,
    );
    await expect.poll(() => outcomes(notifier), TIMEOUT).toEqual([['phone', 'blocked', 'sent']]);
    await home.store.updateSession('one', { statusText: 'something' });
    await home.store.updateRequest('req1', { snoozedUntil: now() + 1 });
    await finishTurn('one');
    await expect.poll(() => got.length, TIMEOUT).toBe(2);
    const [{ headers, body }] = got as [Received, Received];
    const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(`${headers['agent-mux-signature']}`) ?? [];
    expect(signature).toBe(createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex'));
    expect(Math.abs(Number(time) - now() / 1000)).toBeLessThan(100);
    const payload = JSON.parse(body);
    expect(payload).toMatchObject({
      type: 'notification',
      id: headers['agent-mux-id'],
      state: 'blocked',
      title: 'claude requests approval in nowhere',
      session: { id: 'one', agent: 'claude', project: 'nowhere' },
      requestId: 'req1',
    });
    expect(payload.text.split('\n')).toHaveLength(2);
    expect(payload.text).toMatch(/^Fix the parser\nRun: curl/);
    expect(body.length).toBeLessThan(1500);
    expect(body).not.toMatch(/hunter2|abcdefghijklmnop/);
    expect(JSON.parse((got as [Received, Received])[1].body)).toMatchObject({
      state: 'idle',
      title: 'claude is done in nowhere',
    });
    expect(JSON.stringify(await home.store.listRecords('notification'))).not.toMatch(
      /a-secret-topic|a secret of the tests/,
    );
    const destination = new URL(url).host;
    expect((await notifier.list(1)).targets).toEqual([{ name: 'phone', type: 'webhook', destination }]);
  });

  it('is retried with the same id after failures', async () => {
    const { got, url } = await receive((nth, response) => {
      response.statusCode = nth <= 2 ? 503 : 200;
      response.end();
    });
    const notifier = await startNotifier([webhook('phone', url)], [rule({ to: ['phone'] })]);
    await home.store.insertSession(session('one'));
    await finishTurn('one');
    await expect.poll(() => outcomes(notifier), TIMEOUT).toEqual([['phone', 'idle', 'sent']]);
    expect(new Set(got.map(({ headers }) => headers['agent-mux-id'])).size).toBe(1);
    expect((await notifier.list(1)).notifications[0]).toMatchObject({ attempts: 3, error: null });
  });

  it('follows no redirects and is not retried after a refusal', async () => {
    const redirected = await receive(fine);
    const redirecting = await receive((_, response) => {
      response.writeHead(307, { location: redirected.url });
      response.end();
    });
    const refusing = await receive((_, response) => {
      response.statusCode = 403;
      response.end('no');
    });
    const notifier = await startNotifier(
      [webhook('a', redirecting.url), webhook('b', refusing.url)],
      [rule({ to: ['a', 'b'] })],
    );
    await home.store.insertSession(session('one'));
    await finishTurn('one');
    await expect
      .poll(() => outcomes(notifier), TIMEOUT)
      .toEqual([
        ['a', 'idle', 'failed'],
        ['b', 'idle', 'failed'],
      ]);
    expect([redirecting.got.length, refusing.got.length, redirected.got.length]).toEqual([1, 1, 0]);
    const { notifications } = await notifier.list(10);
    expect(notifications.map(({ error }) => error?.code).sort()).toEqual(['REDIRECTED', 'REFUSED']);
    expect(home.logged.join()).not.toContain('secret-topic');
  });

  it('does not delay other targets while it hangs', async () => {
    const hanging = await receive(() => {});
    const other = await receive(fine);
    const notifier = await startNotifier(
      [webhook('slow', hanging.url), webhook('quick', other.url)],
      [rule({ to: ['slow', 'quick'] })],
    );
    await home.store.insertSession(session('one'));
    for (let turn = 1; turn <= 3; turn += 1) {
      await finishTurn('one');
      await expect.poll(() => other.got.length, TIMEOUT).toBe(turn);
    }
    const slow = (await notifier.list(10)).notifications.filter(({ target }) => target === 'slow');
    expect(slow).toHaveLength(3);
    expect(slow.map(({ outcome }) => outcome)).not.toContain('sent');
    await notifier.stop();
  });

  it('is not called without its secret', async () => {
    const { got, url } = await receive(fine);
    const file = join(home.folder, 'secret');
    writeFileSync(file, 'in a file\n', { mode: 0o644 });
    const targets: Target[] = [
      { name: 'a', type: 'webhook', url, secretEnv: 'NOT_THERE' },
      { name: 'b', type: 'webhook', url, secretFile: file },
    ];
    const notifier = await startNotifier(targets, [rule({ to: ['a', 'b'] })]);
    const tested = await notifier.test();
    expect(tested.map(({ outcome, error }) => [outcome, error?.code])).toEqual([
      ['failed', 'NO_SECRET'],
      ['failed', 'NO_SECRET'],
    ]);
    expect(tested[1]?.error?.message).toContain('chmod 600');
    expect(got).toEqual([]);
  });
});

describe('notification', () => {
  it('is not sent for what is resolved within the grace period', async () => {
    const { got, url } = await receive(fine);
    const notifier = await startNotifier([webhook('phone', url)], [rule({ to: ['phone'] })], { graceMs: 600_000 });
    await home.store.insertSession(session('one'));
    await ask('req1', 'one');
    await finishTurn('one');
    await expect.poll(() => outcomes(notifier), TIMEOUT).toHaveLength(2);
    await home.store.updateRequest('req1', { answer: { decision: 'allow' }, by: 'rule 1' });
    await home.store.updateSession('one', { activity: 'active', activitySince: now() });
    home.shift += 600_000;
    await nudge();
    await expect
      .poll(() => outcomes(notifier), TIMEOUT)
      .toEqual([
        ['phone', 'blocked', 'dropped'],
        ['phone', 'idle', 'dropped'],
        ['phone', 'idle', 'pending'],
      ]);
    expect(got).toEqual([]);
  });

  it('follows the rules by state, agent and project', async () => {
    const { url } = await receive(fine);
    const targets = ['all', 'failures', 'claude', 'below', 'named'].map((name) => webhook(name, url));
    const notifier = await startNotifier(targets, [
      rule({ to: ['all'] }),
      rule({ to: ['failures'], when: ['failed', 'exited', 'limited'] }),
      rule({ to: ['claude'], agents: ['claude'] }),
      rule({ to: ['below'], projects: ['~/src/'] }),
      rule({ to: ['named'], projects: ['app'] }),
    ]);
    const at = (cwd: string) => ({ cwd, workspace: { kind: 'folder', path: cwd } as const });
    await home.store.insertSession(session('one', { agent: 'claude', ...at(join(home.folder, 'src/app')) }));
    await finishTurn('one');
    await home.store.insertSession(session('two', { agent: 'demo', ...at(join(home.folder, 'srcapp')) }));
    await home.store.updateSession('two', {
      activity: 'exited',
      isTerminated: true,
      error: { code: 'X', message: 'it broke' },
      activitySince: now(),
    });
    await home.store.insertSession(session('three', { agent: 'demo', ...at('/other/app') }));
    await home.store.updateSession('three', {
      activity: 'limited',
      limit: createLimit('l', { message: 'no more', resetsAt: null }),
      activitySince: now(),
    });
    const sentTo = async () =>
      (await notifier.list(100)).notifications
        .map(({ target, sessionId, state }) => `${sessionId} ${state} ${target}`)
        .sort();
    await expect
      .poll(sentTo, TIMEOUT)
      .toEqual([
        'one idle all',
        'one idle below',
        'one idle claude',
        'one idle named',
        'three limited all',
        'three limited failures',
        'three limited named',
        'two failed all',
        'two failed failures',
      ]);
  });

  it('is not sent for earlier or unchanged states', async () => {
    const { got, url } = await receive(fine);
    await home.store.insertSession(session('old', { turns: 3, activity: 'idle' }));
    await home.store.insertSession(
      session('failed', { turns: 1, isTerminated: true, activity: 'exited', error: { code: 'X', message: 'x' } }),
    );
    const notifier = await startNotifier([webhook('phone', url)], [rule({ to: ['phone'] })]);
    // Happened long ago; only the title changes now.
    await home.store.updateSession('old', { title: 'A new name', activitySince: 1 });
    await home.store.insertSession(session('one'));
    await finishTurn('one');
    await home.store.updateSession('one', { parked: true });
    await home.store.updateSession('one', { isTerminated: true, activity: 'exited', activitySince: now() });
    await home.store.updateSession('one', { isTerminated: false, activity: 'idle', activitySince: now() });
    await finishTurn('one');
    await expect.poll(() => got.length, TIMEOUT).toBeGreaterThanOrEqual(1);
    await expect.poll(async () => (await notifier.list(9)).notifications[0]?.outcome, TIMEOUT).toBe('sent');
    expect((await notifier.list(9)).notifications.every(({ sessionId }) => sessionId === 'one')).toBe(true);
  });

  it('is summarized after quiet hours without answered requests, or dropped', async () => {
    const { got, url } = await receive(fine);
    const quietHours = parseQuietHours('22:00-07:00') ?? undefined;
    const notifier = await startNotifier(
      [webhook('held', url), webhook('dropped', url)],
      [rule({ to: ['held'], quietHours }), rule({ to: ['dropped'], quietHours, inQuietHours: 'drop' })],
    );
    setClock(new Date(2026, 10, 16, 23, 30));
    for (const id of ['one', 'two', 'three']) {
      await home.store.insertSession(session(id));
      await finishTurn(id);
    }
    await ask('req1', 'one');
    await expect.poll(() => outcomes(notifier), TIMEOUT).toHaveLength(8);
    expect((await outcomes(notifier)).map(([target, , outcome]) => `${target} ${outcome}`).sort()).toEqual([
      ...Array.from({ length: 4 }, () => 'dropped dropped'),
      ...Array.from({ length: 4 }, () => 'held held'),
    ]);
    expect((await notifier.list(9)).notifications.find(({ outcome }) => outcome === 'held')?.nextAttemptAt).toBe(
      new Date(2026, 10, 17, 7, 0).getTime(),
    );
    await home.store.updateRequest('req1', { state: 'answered' });
    setClock(new Date(2026, 10, 17, 7, 0));
    await nudge();
    await expect.poll(() => got.length, TIMEOUT).toBe(3);
    const [summary, ...others] = got.map(({ body }) => JSON.parse(body)).sort((a) => (a.state === 'summary' ? -1 : 1));
    expect(others.map(({ session }) => session.id)).toEqual(['nudge', 'nudge']);
    expect(summary).toMatchObject({ state: 'summary', title: '3 notifications during quiet hours', session: null });
    expect(summary.items.map((item: { sessionId: string }) => item.sessionId).sort()).toEqual(['one', 'three', 'two']);
  });
});
