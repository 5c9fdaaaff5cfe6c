import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ask,
  fine,
  finishTurn,
  type Got,
  house,
  now,
  nudge,
  outcomes,
  PATIENCE,
  receive,
  rule,
  SECRET,
  session,
  setClock,
  startNotifier,
  useHouse,
  webhook,
} from '../../test/notifiers.ts';
import { makeLimit } from '../store/suite/made-up.ts';
import type { Target } from './notify-settings.ts';
import { parseQuietHours } from './quiet-hours.ts';

useHouse();

describe('a webhook', () => {
  it('gets what is asked once, signed, bounded, and without secrets', async () => {
    const { got, url } = await receive(fine);
    const notifier = await startNotifier([webhook('phone', url)], [rule({ to: ['phone'] })]);
    await house.store.insertSession(session('one', { agent: 'claude', activity: 'active' }));
    await ask(
      'req1',
      'one',
      `Run: curl -H "authorization: Bearer abcdefghijklmnop" hunter2-hunter2 \n${'x'.repeat(5000)}`,
    );
    await expect.poll(() => outcomes(notifier), PATIENCE).toEqual([['phone', 'blocked', 'sent']]);
    await house.store.updateSession('one', { lastLine: 'something' });
    await house.store.updateRequest('req1', { laterUntil: now() + 1 });
    await finishTurn('one');
    await expect.poll(() => got.length, PATIENCE).toBe(2);
    const [{ headers, body }] = got as [Got, Got];
    const [, time, signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(`${headers['agent-mux-signature']}`) ?? [];
    expect(signature).toBe(createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex'));
    expect(Math.abs(Number(time) - now() / 1000)).toBeLessThan(100);
    const told = JSON.parse(body);
    expect(told).toMatchObject({
      type: 'notification',
      id: headers['agent-mux-id'],
      state: 'blocked',
      title: 'claude asks for leave in nowhere',
      session: { id: 'one', agent: 'claude', project: 'nowhere' },
      requestId: 'req1',
    });
    expect(told.text.split('\n')).toHaveLength(2);
    expect(told.text).toMatch(/^Mend the parser\nRun: curl/);
    expect(body.length).toBeLessThan(1500);
    expect(body).not.toMatch(/hunter2|abcdefghijklmnop/);
    expect(JSON.parse((got as [Got, Got])[1].body)).toMatchObject({
      state: 'idle',
      title: 'claude is done in nowhere',
    });
    expect(JSON.stringify(await house.store.listRecords('notification'))).not.toMatch(
      /a-secret-topic|a secret of the tests/,
    );
    const place = new URL(url).host;
    expect((await notifier.list(1)).targets).toEqual([{ name: 'phone', type: 'webhook', place }]);
  });

  it('that fails twice is tried again under the same id', async () => {
    const { got, url } = await receive((nth, response) => {
      response.statusCode = nth <= 2 ? 503 : 200;
      response.end();
    });
    const notifier = await startNotifier([webhook('phone', url)], [rule({ to: ['phone'] })]);
    await house.store.insertSession(session('one'));
    await finishTurn('one');
    await expect.poll(() => outcomes(notifier), PATIENCE).toEqual([['phone', 'idle', 'sent']]);
    expect(new Set(got.map(({ headers }) => headers['agent-mux-id'])).size).toBe(1);
    expect((await notifier.list(1)).notifications[0]).toMatchObject({ attempts: 3, error: null });
  });

  it('that redirects is not followed, and one that refuses is not asked again', async () => {
    const elsewhere = await receive(fine);
    const redirecting = await receive((_, response) => {
      response.writeHead(307, { location: elsewhere.url });
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
    await house.store.insertSession(session('one'));
    await finishTurn('one');
    await expect
      .poll(() => outcomes(notifier), PATIENCE)
      .toEqual([
        ['a', 'idle', 'failed'],
        ['b', 'idle', 'failed'],
      ]);
    expect([redirecting.got.length, refusing.got.length, elsewhere.got.length]).toEqual([1, 1, 0]);
    const { notifications } = await notifier.list(10);
    expect(notifications.map(({ error }) => error?.code).sort()).toEqual(['REDIRECTED', 'REFUSED']);
    expect(house.logged.join()).not.toContain('secret-topic');
  });

  it('that hangs keeps nobody else waiting', async () => {
    const hanging = await receive(() => {});
    const other = await receive(fine);
    const notifier = await startNotifier(
      [webhook('slow', hanging.url), webhook('quick', other.url)],
      [rule({ to: ['slow', 'quick'] })],
    );
    await house.store.insertSession(session('one'));
    for (let turn = 1; turn <= 3; turn += 1) {
      await finishTurn('one');
      await expect.poll(() => other.got.length, PATIENCE).toBe(turn);
    }
    const slow = (await notifier.list(10)).notifications.filter(({ target }) => target === 'slow');
    expect(slow).toHaveLength(3);
    expect(slow.map(({ outcome }) => outcome)).not.toContain('sent');
    await notifier.stop();
  });

  it('without its secret is not sent at all', async () => {
    const { got, url } = await receive(fine);
    const file = join(house.folder, 'secret');
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

describe('what is told', () => {
  it('is not what is over within a moment: a rule has answered, or the next message was there', async () => {
    const { got, url } = await receive(fine);
    const notifier = await startNotifier([webhook('phone', url)], [rule({ to: ['phone'] })], { graceMs: 600_000 });
    await house.store.insertSession(session('one'));
    await ask('req1', 'one');
    await finishTurn('one');
    await expect.poll(() => outcomes(notifier), PATIENCE).toHaveLength(2);
    await house.store.updateRequest('req1', { answer: { decision: 'allow' }, by: 'rule 1' });
    await house.store.updateSession('one', { activity: 'active', activitySince: now() });
    house.shift += 600_000;
    await nudge();
    await expect
      .poll(() => outcomes(notifier), PATIENCE)
      .toEqual([
        ['phone', 'blocked', 'dropped'],
        ['phone', 'idle', 'dropped'],
        ['phone', 'idle', 'waiting'],
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
    await house.store.insertSession(session('one', { agent: 'claude', ...at(join(house.folder, 'src/app')) }));
    await finishTurn('one');
    await house.store.insertSession(session('two', { agent: 'demo', ...at(join(house.folder, 'srcapp')) }));
    await house.store.updateSession('two', {
      activity: 'exited',
      isTerminated: true,
      error: { code: 'X', message: 'it broke' },
      activitySince: now(),
    });
    await house.store.insertSession(session('three', { agent: 'demo', ...at('/elsewhere/app') }));
    await house.store.updateSession('three', {
      activity: 'limited',
      limit: makeLimit('l', { message: 'no more', resetsAt: null }),
      activitySince: now(),
    });
    const told = async () =>
      (await notifier.list(100)).notifications
        .map(({ target, sessionId, state }) => `${sessionId} ${state} ${target}`)
        .sort();
    await expect
      .poll(told, PATIENCE)
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

  it('is nothing that was there before, and nothing that only stays as it is', async () => {
    const { got, url } = await receive(fine);
    await house.store.insertSession(session('old', { turns: 3, activity: 'idle' }));
    await house.store.insertSession(
      session('failed', { turns: 1, isTerminated: true, activity: 'exited', error: { code: 'X', message: 'x' } }),
    );
    const notifier = await startNotifier([webhook('phone', url)], [rule({ to: ['phone'] })]);
    // Long ago, and only renamed now.
    await house.store.updateSession('old', { title: 'A new name', activitySince: 1 });
    await house.store.insertSession(session('one'));
    await finishTurn('one');
    await house.store.updateSession('one', { parked: true });
    await house.store.updateSession('one', { isTerminated: true, activity: 'exited', activitySince: now() });
    await house.store.updateSession('one', { isTerminated: false, activity: 'idle', activitySince: now() });
    await finishTurn('one');
    await expect.poll(() => got.length, PATIENCE).toBeGreaterThanOrEqual(1);
    await expect.poll(async () => (await notifier.list(9)).notifications[0]?.outcome, PATIENCE).toBe('sent');
    expect((await notifier.list(9)).notifications.every(({ sessionId }) => sessionId === 'one')).toBe(true);
  });

  it('in quiet hours is held and told as one after them, without what was answered meanwhile; or dropped', async () => {
    const { got, url } = await receive(fine);
    const quietHours = parseQuietHours('22:00-07:00') ?? undefined;
    const notifier = await startNotifier(
      [webhook('held', url), webhook('dropped', url)],
      [rule({ to: ['held'], quietHours }), rule({ to: ['dropped'], quietHours, inQuietHours: 'drop' })],
    );
    setClock(new Date(2026, 10, 16, 23, 30));
    for (const id of ['one', 'two', 'three']) {
      await house.store.insertSession(session(id));
      await finishTurn(id);
    }
    await ask('req1', 'one');
    await expect.poll(() => outcomes(notifier), PATIENCE).toHaveLength(8);
    expect((await outcomes(notifier)).map(([target, , outcome]) => `${target} ${outcome}`).sort()).toEqual([
      ...Array.from({ length: 4 }, () => 'dropped dropped'),
      ...Array.from({ length: 4 }, () => 'held held'),
    ]);
    expect((await notifier.list(9)).notifications.find(({ outcome }) => outcome === 'held')?.nextAt).toBe(
      new Date(2026, 10, 17, 7, 0).getTime(),
    );
    await house.store.updateRequest('req1', { state: 'answered' });
    setClock(new Date(2026, 10, 17, 7, 0));
    await nudge();
    await expect.poll(() => got.length, PATIENCE).toBe(3);
    const [told, ...others] = got.map(({ body }) => JSON.parse(body)).sort((a) => (a.state === 'summary' ? -1 : 1));
    expect(others.map(({ session }) => session.id)).toEqual(['nudge', 'nudge']);
    expect(told).toMatchObject({ state: 'summary', title: '3 things came in quiet hours', session: null });
    expect(told.items.map((item: { sessionId: string }) => item.sessionId).sort()).toEqual(['one', 'three', 'two']);
  });
});
