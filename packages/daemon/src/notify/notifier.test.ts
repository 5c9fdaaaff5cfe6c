import { createHmac } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Notification } from '@agent-mux/api';
import { listFamily } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFakeService, newSession } from '../../test/fake-service.ts';
import { createFakeStore, type FakeStore } from '../../test/fake-store.ts';
import { makeLimit } from '../store/suite/made-up.ts';
import { type Notifier, openNotifier } from './notifier.ts';
import type { NotifySettings, Rule, Target } from './notify-settings.ts';
import { parseQuietHours } from './quiet-hours.ts';
import { desktopCommand } from './send.ts';

vi.setConfig({ testTimeout: 60_000 });

const PATIENCE = { timeout: 30_000, interval: 20 };
const SECRET = 'a secret of the tests';

let store: FakeStore;
let service: ReturnType<typeof createFakeService>;
/** Of the clock on the wall, which goes on. */
let shift: number;
let folder: string;
let logged: string[];
const closing: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  store = createFakeStore();
  service = createFakeService(store);
  setClock(new Date(2026, 10, 16, 12, 0));
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'notify-')));
  logged = [];
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

const now = () => Date.now() + shift;
function setClock(time: Date): void {
  shift = time.getTime() - Date.now();
}

interface Got {
  headers: IncomingMessage['headers'];
  body: string;
}

/** A receiver on the loopback address; `answer` says what becomes of the nth request. */
async function receive(answer: (nth: number, response: ServerResponse) => void) {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => {
      got.push({ headers: request.headers, body });
      answer(got.length, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?with=a-secret-topic` };
}

const fine = (_: number, response: ServerResponse) => void response.end();

function webhook(name: string, url: string): Target {
  return { name, type: 'webhook', url, secretEnv: 'HOOK_SECRET' };
}

function rule(given: Partial<Rule> & Pick<Rule, 'to'>): Rule {
  return { when: ['blocked', 'waiting_input', 'limited', 'failed', 'exited', 'idle'], inQuietHours: 'hold', ...given };
}

function make(targets: readonly Target[], rules: readonly Rule[], timing: object = {}): Notifier {
  const settings: NotifySettings = { targets: new Map(targets.map((target) => [target.name, target])), rules };
  const notifier = openNotifier({
    store,
    service,
    settings,
    env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder, HOOK_SECRET: SECRET, MY_API_KEY: 'hunter2-hunter2' },
    now,
    log: (line) => logged.push(line),
    timing: { graceMs: 0, firstPauseMs: 1, ...timing },
  });
  closing.push(() => notifier.stop());
  return notifier;
}

async function open(targets: readonly Target[], rules: readonly Rule[], timing: object = {}): Promise<Notifier> {
  const notifier = make(targets, rules, timing);
  notifier.start();
  // From here on it sees what changes.
  await expect.poll(() => store.getRecord('notify', 'cursor'), PATIENCE).toBeDefined();
  return notifier;
}

/** Something happens: whoever looked at the clock long ago looks again. */
async function nudge(): Promise<void> {
  await store.insertSession(session('nudge'));
  await finishTurn('nudge');
}

const session = (id: string, patch = {}) => ({
  ...newSession(id),
  launch: 1,
  turns: 0,
  title: 'Mend the parser',
  ...patch,
});

/** A turn of the session is over. */
async function finishTurn(id: string, patch: object = {}): Promise<void> {
  const turns = ((await store.getSession(id))?.turns ?? 0) + 1;
  await store.updateSession(id, { activity: 'idle', activitySince: now(), turns, ...patch });
}

async function ask(id: string, sessionId: string, title = 'Run: rm -rf build'): Promise<void> {
  await store.putRequest({
    id,
    sessionId,
    agent: 'demo',
    launch: 1,
    requestId: '1',
    kind: 'approval',
    event: { title },
    state: 'open',
    outcome: null,
    by: null,
    answer: null,
    laterUntil: null,
    createdAt: now(),
    resolvedAt: null,
  });
}

async function outcomes(notifier: Notifier): Promise<[string, string, Notification['outcome']][]> {
  const { notifications } = await notifier.list(100);
  return notifications.toReversed().map(({ target, state, outcome }) => [target, state, outcome]);
}

describe('a webhook', () => {
  it('gets what is asked once, signed, bounded, and without secrets', async () => {
    const { got, url } = await receive(fine);
    const notifier = await open([webhook('phone', url)], [rule({ to: ['phone'] })]);
    await store.insertSession(session('one', { agent: 'claude', activity: 'active' }));
    await ask(
      'req1',
      'one',
      `Run: curl -H "authorization: Bearer abcdefghijklmnop" hunter2-hunter2 \n${'x'.repeat(5000)}`,
    );
    await expect.poll(() => outcomes(notifier), PATIENCE).toEqual([['phone', 'blocked', 'sent']]);
    await store.updateSession('one', { lastLine: 'something' });
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
    expect(JSON.stringify(await store.listRecords('notification'))).not.toMatch(/a-secret-topic|a secret of the tests/);
    const place = new URL(url).host;
    expect((await notifier.list(1)).targets).toEqual([{ name: 'phone', type: 'webhook', place }]);
  });

  it('that fails twice is tried again under the same id', async () => {
    const { got, url } = await receive((nth, response) => {
      response.statusCode = nth <= 2 ? 503 : 200;
      response.end();
    });
    const notifier = await open([webhook('phone', url)], [rule({ to: ['phone'] })]);
    await store.insertSession(session('one'));
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
    const notifier = await open(
      [webhook('a', redirecting.url), webhook('b', refusing.url)],
      [rule({ to: ['a', 'b'] })],
    );
    await store.insertSession(session('one'));
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
    expect(logged.join()).not.toContain('secret-topic');
  });

  it('that hangs keeps nobody else waiting', async () => {
    const hanging = await receive(() => {});
    const other = await receive(fine);
    const notifier = await open(
      [webhook('slow', hanging.url), webhook('quick', other.url)],
      [rule({ to: ['slow', 'quick'] })],
    );
    await store.insertSession(session('one'));
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
    const file = join(folder, 'secret');
    writeFileSync(file, 'in a file\n', { mode: 0o644 });
    const targets: Target[] = [
      { name: 'a', type: 'webhook', url, secretEnv: 'NOT_THERE' },
      { name: 'b', type: 'webhook', url, secretFile: file },
    ];
    const notifier = await open(targets, [rule({ to: ['a', 'b'] })]);
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
    const notifier = await open([webhook('phone', url)], [rule({ to: ['phone'] })], { graceMs: 600_000 });
    await store.insertSession(session('one'));
    await ask('req1', 'one');
    await finishTurn('one');
    await expect.poll(() => outcomes(notifier), PATIENCE).toHaveLength(2);
    await store.updateRequest('req1', { answer: { decision: 'allow' }, by: 'rule 1' });
    await store.updateSession('one', { activity: 'active', activitySince: now() });
    shift += 600_000;
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
    const notifier = await open(targets, [
      rule({ to: ['all'] }),
      rule({ to: ['failures'], when: ['failed', 'exited', 'limited'] }),
      rule({ to: ['claude'], agents: ['claude'] }),
      rule({ to: ['below'], projects: ['~/src/'] }),
      rule({ to: ['named'], projects: ['app'] }),
    ]);
    const at = (cwd: string) => ({ cwd, workspace: { kind: 'folder', path: cwd } as const });
    await store.insertSession(session('one', { agent: 'claude', ...at(join(folder, 'src/app')) }));
    await finishTurn('one');
    await store.insertSession(session('two', { agent: 'demo', ...at(join(folder, 'srcapp')) }));
    await store.updateSession('two', {
      activity: 'exited',
      isTerminated: true,
      error: { code: 'X', message: 'it broke' },
      activitySince: now(),
    });
    await store.insertSession(session('three', { agent: 'demo', ...at('/elsewhere/app') }));
    await store.updateSession('three', {
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
    await store.insertSession(session('old', { turns: 3, activity: 'idle' }));
    await store.insertSession(
      session('failed', { turns: 1, isTerminated: true, activity: 'exited', error: { code: 'X', message: 'x' } }),
    );
    const notifier = await open([webhook('phone', url)], [rule({ to: ['phone'] })]);
    // Long ago, and only renamed now.
    await store.updateSession('old', { title: 'A new name', activitySince: 1 });
    await store.insertSession(session('one'));
    await finishTurn('one');
    await store.updateSession('one', { parked: true });
    await store.updateSession('one', { isTerminated: true, activity: 'exited', activitySince: now() });
    await store.updateSession('one', { isTerminated: false, activity: 'idle', activitySince: now() });
    await finishTurn('one');
    await expect.poll(() => got.length, PATIENCE).toBeGreaterThanOrEqual(1);
    await expect.poll(async () => (await notifier.list(9)).notifications[0]?.outcome, PATIENCE).toBe('sent');
    expect((await notifier.list(9)).notifications.every(({ sessionId }) => sessionId === 'one')).toBe(true);
  });

  it('in quiet hours is held and told as one after them, without what was answered meanwhile; or dropped', async () => {
    const { got, url } = await receive(fine);
    const quietHours = parseQuietHours('22:00-07:00') ?? undefined;
    const notifier = await open(
      [webhook('held', url), webhook('dropped', url)],
      [rule({ to: ['held'], quietHours }), rule({ to: ['dropped'], quietHours, inQuietHours: 'drop' })],
    );
    setClock(new Date(2026, 10, 16, 23, 30));
    for (const id of ['one', 'two', 'three']) {
      await store.insertSession(session(id));
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
    await store.updateRequest('req1', { state: 'answered' });
    setClock(new Date(2026, 10, 17, 7, 0));
    await nudge();
    await expect.poll(() => got.length, PATIENCE).toBe(3);
    const [told, ...others] = got.map(({ body }) => JSON.parse(body)).sort((a) => (a.state === 'summary' ? -1 : 1));
    expect(others.map(({ session }) => session.id)).toEqual(['nudge', 'nudge']);
    expect(told).toMatchObject({ state: 'summary', title: '3 things came in quiet hours', session: null });
    expect(told.items.map((item: { sessionId: string }) => item.sessionId).sort()).toEqual(['one', 'three', 'two']);
  });
});

describe('a command', () => {
  it('gets JSON on stdin, its arguments as they are written, and no shell', async () => {
    const out = join(folder, 'out');
    const script = `let all = ''; process.stdin.on('data', (part) => (all += part)).on('end', () => require('fs').writeFileSync(${JSON.stringify(out)}, JSON.stringify([process.argv.slice(1), JSON.parse(all)])))`;
    const command = [process.execPath, '-e', script, '$(touch /nowhere)', '; rm -rf x', '"'];
    const notifier = await open([{ name: 'log', type: 'command', command }], [rule({ to: ['log'] })]);
    await store.insertSession(session('one', { title: '$(touch pwned)`id`' }));
    await finishTurn('one');
    await expect.poll(() => outcomes(notifier), PATIENCE).toEqual([['log', 'idle', 'sent']]);
    const [args, told] = JSON.parse(readFileSync(out, 'utf8'));
    expect(args).toEqual(command.slice(3));
    expect(told).toMatchObject({ state: 'idle', text: '$(touch pwned)`id`', session: { id: 'one' } });
  });

  it('that takes too long is ended with all that it has started', async () => {
    const pidFile = join(folder, 'pid');
    const script = `sleep 600 & echo $! > ${pidFile}; wait`;
    const target: Target = { name: 'slow', type: 'command', command: ['/bin/sh', '-c', script] };
    const [tested] = await make([target], [], { programMs: 1_500 }).test('slow');
    expect(tested).toMatchObject({ outcome: 'failed', error: { code: 'TIMEOUT' } });
    const mark = `notify-${tested?.id}`;
    expect(existsSync(pidFile)).toBe(true);
    await expect.poll(() => listFamily(-1, mark), PATIENCE).toEqual([]);
  });
});

describe('the desktop', () => {
  it.runIf(process.platform === 'linux')('is told by a program, each text as one argument', async () => {
    const out = join(folder, 'args');
    const script = `#!/bin/sh\nfor arg in "$@"; do printf '%s\\0' "$arg"; done > ${out}\n`;
    writeFileSync(join(folder, 'notify-send'), script, { mode: 0o755 });
    const notifier = await open([{ name: 'desktop', type: 'desktop' }], [rule({ to: ['desktop'] })]);
    await store.insertSession(session('one', { agent: 'claude', title: '-x $(id) <b>&' }));
    await finishTurn('one');
    await expect.poll(() => outcomes(notifier), PATIENCE).toEqual([['desktop', 'idle', 'sent']]);
    expect(readFileSync(out, 'utf8').split('\0').slice(0, -1)).toEqual([
      '--app-name=agent-mux',
      '--',
      'claude is done in nowhere',
      '-x $(id) &lt;b&gt;&amp;',
    ]);
  });

  it('without a program for it is told of once', async () => {
    const notifier = make([], []);
    const bare = openNotifier({
      store,
      service,
      settings: { targets: new Map(), rules: [] },
      env: { PATH: folder, HOME: folder },
      now,
      log: (line) => logged.push(line),
    });
    closing.push(() => bare.stop());
    for (let at = 0; at < 3; at += 1)
      expect(await bare.test('desktop')).toMatchObject([{ outcome: 'failed', error: { code: 'NOT_FOUND' } }]);
    expect(logged).toHaveLength(1);
    await expect(notifier.test('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('of a Mac gets the text behind the script, and never in it', () => {
    const command = desktopCommand({ title: '" & quit', text: '-e boom' }, 'darwin');
    expect(command.slice(-2)).toEqual(['agent-mux: " & quit', '-e boom']);
    expect(command.filter((_, at) => command[at - 1] === '-e').join(' ')).not.toContain('quit');
    expect(() => desktopCommand({ title: '', text: '' }, 'win32')).toThrow('use a command');
  });
});

describe('a daemon that dies', () => {
  it('leaves what was on its way: a webhook is sent again under its id, a command is not', async () => {
    const hanging = await receive((nth, response) => {
      if (nth > 1) response.end();
    });
    const started = join(folder, 'started');
    const command: Target = {
      name: 'log',
      type: 'command',
      command: ['/bin/sh', '-c', `echo x >> ${started}; sleep 600`],
    };
    const targets = [webhook('phone', hanging.url), command];
    const rules = [rule({ to: ['phone', 'log'] })];
    const first = await open(targets, rules);
    await store.insertSession(session('one'));
    await finishTurn('one');
    await expect.poll(() => hanging.got.length === 1 && existsSync(started), PATIENCE).toBe(true);
    await first.stop();
    const second = await open(targets, rules);
    await expect
      .poll(() => outcomes(second), PATIENCE)
      .toEqual([
        ['phone', 'idle', 'sent'],
        ['log', 'idle', 'unknown'],
      ]);
    expect(new Set(hanging.got.map(({ headers }) => headers['agent-mux-id'])).size).toBe(1);
    expect(readFileSync(started, 'utf8')).toBe('x\n');
  });

  it('and was off for days tells nothing of long ago, and what came while it was off', async () => {
    const { got, url } = await receive(fine);
    const targets = [webhook('phone', url)];
    const first = await open(targets, [rule({ to: ['phone'] })]);
    await first.stop();
    await store.insertSession(session('long'));
    await finishTurn('long', { activitySince: now() - 3 * 24 * 3_600_000 });
    await store.insertSession(session('now'));
    await finishTurn('now');
    const second = await open(targets, [rule({ to: ['phone'] })]);
    await expect.poll(() => outcomes(second), PATIENCE).toEqual([['phone', 'idle', 'sent']]);
    expect(JSON.parse(got[0]?.body ?? '')).toMatchObject({ session: { id: 'now' } });
  });
});
