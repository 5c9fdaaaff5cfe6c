import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { amux, createTestHome, type TestHome, TIMEOUT_MS } from './amux.ts';
import { FakeDaemon, writing } from './fake-daemon.ts';

const options = { timeout: TIMEOUT_MS };

let testHome: TestHome;
let daemon: FakeDaemon;
beforeEach(async () => {
  testHome = createTestHome();
  daemon = new FakeDaemon(testHome);
  await daemon.listen();
});
afterEach(() => daemon.die());

/** The JSON output of a command. */
async function json<Value = Record<string, unknown>>(...args: string[]): Promise<Value> {
  const { stdout, code, stderr } = await amux(testHome, [...args, '--json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

const lastCall = (call: string) => daemon.calls.findLast((each) => each.call === call)?.body;

describe('amux new', () => {
  it('prints only the id, and passes prompt, folder, options and environment', options, async () => {
    const flags = ['-a', 'demo', '-m', 'small', '--yolo', '--env', 'COLOR=red', '--title', 'First', '--tag', 'x'];
    const { stdout, code } = await amux(testHome, ['new', ...flags, 'say', 'hello'], { env: { OWN: 'here' } });
    expect(code).toBe(0);
    expect([...daemon.sessions.keys()]).toEqual([stdout.trim()]);
    expect(lastCall('POST /sessions')).toMatchObject({
      agent: 'demo',
      prompt: 'say hello',
      cwd: testHome.cwd,
      title: 'First',
      options: { model: 'small', approvalMode: 'yolo' },
      env: { COLOR: 'red' },
      hostEnv: { OWN: 'here', HOME: testHome.home },
      worktree: false,
      tags: ['x'],
    });
  });

  it('equals run --detach, which rejects flags unsupported by background sessions', options, async () => {
    const session = await json('run', '-a', 'demo', '--detach', '--branch', 'try', 'hi');
    expect(session).toMatchObject({ agent: 'demo', title: 'hi', activity: 'idle' });
    expect(lastCall('POST /sessions')).toMatchObject({ worktree: { branch: 'try' } });
    const { code, stderr } = await amux(testHome, ['run', '-a', 'demo', '-d', '-i', 'hi']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--interactive and --detach are mutually exclusive')]);
    expect((await amux(testHome, ['run', '-a', 'demo', '--worktree', 'hi'])).code).toBe(2);
  });

  it('reads the prompt from stdin and uploads attachments', options, async () => {
    const { code } = await amux(
      testHome,
      ['new', '-a', 'demo', '--attach', process.execPath.replace(/node$/, 'node')],
      {
        stdin: 'from a pipe',
      },
    );
    expect(code).toBe(0);
    expect(lastCall('POST /sessions')).toMatchObject({
      prompt: 'from a pipe',
      files: [expect.stringMatching(/^file/)],
    });
    const missing = await amux(testHome, ['new', '-a', 'demo', '--attach', 'nowhere.png', 'hi']);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('nowhere.png')]);
  });
});

describe('amux ps', () => {
  it('lists active sessions, those that need input first', options, async () => {
    daemon.add({ title: 'older', lastActiveAt: 1 });
    daemon.add({ title: 'newer', lastActiveAt: Date.now(), costUsd: 0.25, costSource: 'estimated' });
    const asks = daemon.add({ title: 'asks', lastActiveAt: 2 });
    daemon.ask(asks.id, writing('hello.txt'));
    daemon.add({ title: 'over', isTerminated: true, activity: 'exited' });
    const { stdout } = await amux(testHome, ['ps']);
    const rows = stdout.trimEnd().split('\n');
    expect(rows[0]).toMatch(/^ID +AGENT +STATE +TITLE +FOLDER +AGE +COST +WAITING FOR$/);
    expect(rows.slice(1).map((row) => / (older|newer|asks|over) /.exec(row)?.[1])).toEqual(['asks', 'newer', 'older']);
    expect(rows[1]).toMatch(/◆ needs input +asks .*Write hello\.txt$/);
    expect(rows[2]).toMatch(/○ idle +newer .*~\$0\.25/);
    expect((await amux(testHome, ['ps', '--all'])).stdout).toContain('■ ended');
    expect((await json<{ sessions: unknown[] }>('ps')).sessions).toHaveLength(3);
  });

  it('says how to start a session if there is none', options, async () => {
    const { stdout, stderr } = await amux(testHome, ['ps']);
    expect(stdout).toContain('No active sessions.');
    expect(stderr).toContain('amux new -a AGENT');
  });
});

describe('amux show', () => {
  it('accepts an id prefix, and shows open requests and queued messages', options, async () => {
    const { id } = daemon.add({ title: 'a title', model: 'small', agentSessionId: 'native-1' });
    daemon.turn(id, 'ask');
    await amux(testHome, ['send', id, 'and then this']);
    expect(await json('show', id.slice(0, 5))).toMatchObject({
      id,
      agentSessionId: 'native-1',
      activity: 'waiting_input',
    });
    const { stdout } = await amux(testHome, ['show', id.slice(0, 5)]);
    for (const text of [
      '◆ needs input',
      'a title',
      'native-1',
      'and then this',
      'Write hello.txt',
      '+ world',
      'amux approve ',
    ])
      expect(stdout).toContain(text);
  });

  it('rejects unknown and ambiguous ids', options, async () => {
    daemon.add({ id: 'aa1' });
    daemon.add({ id: 'aa2' });
    const unknown = await amux(testHome, ['show', 'zz', '--json']);
    expect(unknown.code).toBe(1);
    expect(JSON.parse(unknown.stdout)).toMatchObject({ type: 'error', problem: 'NOT_FOUND', exitCode: 1 });
    expect(unknown.stderr).toContain('amux ps --all');
    expect((await amux(testHome, ['show', 'aa'])).code).toBe(2);
    expect((await amux(testHome, ['show'])).code).toBe(2);
  });
});

describe('requests', () => {
  it('are shown in full in the inbox, with the commands to answer them', options, async () => {
    const { id } = daemon.add({ title: 'the parser' });
    daemon.turn(id, 'ask');
    daemon.add({ title: 'broken', error: { code: 'AGENT_CRASH', message: 'it fell' }, isTerminated: true });
    const { stdout } = await amux(testHome, ['inbox']);
    for (const text of [
      'demo · the parser',
      'Write hello.txt',
      '+ hello',
      '+ world',
      `amux approve ${id.slice(0, 8)}`,
      'it fell',
    ])
      expect(stdout).toContain(text);
    const { requests } = await json<{ requests: unknown[] }>('inbox');
    expect(requests).toHaveLength(1);
  });

  it('are answered by session id or request id', options, async () => {
    const { id } = daemon.add();
    daemon.turn(id, 'ask');
    expect((await amux(testHome, ['approve', id.slice(0, 6)])).stdout).toBe('Allowed: Write hello.txt\n');
    const second = daemon.ask(id, writing('b.txt'));
    expect(await json('deny', second.id, 'use', 'tabs')).toMatchObject({ outcome: 'denied', state: 'answered' });
    expect(lastCall(`POST /requests/${second.id}/answer`)).toEqual({ decision: 'deny', message: 'use tabs' });
    const third = daemon.ask(id, writing('c.txt'));
    await json('approve', id, '--always');
    expect(lastCall(`POST /requests/${third.id}/answer`)).toEqual({ decision: 'allow', optionId: 'always' });
  });

  it('are listed and not answered if several are open, with exit code 2', options, async () => {
    const { id } = daemon.add();
    const a = daemon.ask(id, writing('a.txt'));
    const b = daemon.ask(id, writing('b.txt'));
    const { code, stderr } = await amux(testHome, ['approve', id]);
    expect(code).toBe(2);
    for (const { id: request } of [a, b]) expect(stderr).toContain(`amux approve ${request.slice(0, 8)}`);
    expect([...daemon.requests.values()].map(({ state }) => state)).toEqual(['open', 'open']);
    expect((await amux(testHome, ['approve', id, b.id.slice(0, 4)])).stdout).toContain('b.txt');
    expect((await amux(testHome, ['approve', id])).stdout).toContain('a.txt');
    const none = await amux(testHome, ['approve', id]);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('has no open request')]);
  });

  it('with options accept only a number or a label', options, async () => {
    const { id } = daemon.add();
    daemon.turn(id, 'question');
    const wrong = await amux(testHome, ['answer', id, '7']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('1 Red, 2 Blue')]);
    expect((await amux(testHome, ['approve', id])).code).toBe(2);
    expect(await json('answer', id, '2')).toMatchObject({
      outcome: 'answered',
      answer: { answers: { color: ['Blue'] } },
    });
  });
});

describe('amux send', () => {
  it('delivers, queues or rejects a message', options, async () => {
    const { id } = daemon.add();
    expect(await json('send', id, 'slow')).toMatchObject({ state: 'accepted', text: 'slow', mode: 'queue' });
    expect((await amux(testHome, ['send', id, 'later'])).stdout).toContain('Queued');
    const refused = await amux(testHome, ['send', id, '--no-queue', 'at once']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('a turn runs')]);
    expect((await amux(testHome, ['send', id, '--steer', 'not that'])).stdout).toContain('running turn');
    expect((await amux(testHome, ['send', id])).code).toBe(2);
  });
});

describe('session lifecycle', () => {
  it('interrupts, parks, stops, restores, forks and removes', options, async () => {
    const { id } = daemon.add();
    daemon.turn(id, 'slow');
    expect(await json('interrupt', id)).toMatchObject({ activity: 'idle' });
    expect((await amux(testHome, ['interrupt', id])).code).toBe(1);
    expect(await json('park', id)).toMatchObject({ parked: true });
    expect(await json('stop', id)).toMatchObject({ isTerminated: true });
    expect(await json('restore', id, '--env', 'KEY=1')).toMatchObject({ isTerminated: false });
    expect(lastCall(`POST /sessions/${id}/restore`)).toEqual({ env: { KEY: '1' } });
    expect(await json('fork', id, '--title', 'copy', 'next', 'step')).toMatchObject({ forkedFrom: id });
    expect(lastCall(`POST /sessions/${id}/fork`)).toEqual({ prompt: 'next step', title: 'copy' });
    const unasked = await amux(testHome, ['rm', id.slice(0, 6)]);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    expect([...daemon.sessions.keys()]).toContain(id);
    expect((await amux(testHome, ['rm', id.slice(0, 6), '--yes'])).stdout).toBe('Session removed.\n');
    expect([...daemon.sessions.keys()]).not.toContain(id);
  });

  it('imports a session stored by an agent', options, async () => {
    const run = await amux(testHome, ['run', '-a', 'demo', '--json', '--no-stdin', 'hello']);
    const { sessionId } = JSON.parse(run.stdout.trimEnd().split('\n').at(-1) ?? '');
    await json('restore', sessionId.slice(0, 12));
    expect(lastCall(`POST /history/demo/${sessionId}/import`)).toEqual({ cwd: testHome.cwd });
  });
});

describe('amux events', () => {
  it('prints one event per line, in order, over all pages', options, async () => {
    const { id } = daemon.add();
    for (let at = 0; at < 1200; at += 1) daemon.happen(id, { type: 'text_delta', delta: `${at} ` });
    const lines = (await amux(testHome, ['events', id, '--json'])).stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).seq)).toEqual(Array.from({ length: 1200 }, (_, at) => at));
    const rest = await amux(testHome, ['events', id, '--after', '1197']);
    expect(rest.stdout).toMatch(/^ 1198 .*text_delta +1198\n 1199 .*1199\n$/);
    expect((await amux(testHome, ['events', id, '--after', 'x'])).code).toBe(2);
  });

  it('follows until the process exits; the result is the last line', options, async () => {
    const { id } = daemon.add();
    daemon.turn(id, 'slow');
    const following = amux(testHome, ['events', id, '--until-exit', '--json']);
    await expect
      .poll(() => daemon.calls.filter(({ call }) => call.endsWith('/events')).length, options)
      .toBeGreaterThan(0);
    await amux(testHome, ['stop', id]);
    const lines = (await following).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type);
    expect(lines).toEqual(['user_message', 'turn_start', 'text_delta', 'run_result']);
  });
});

describe('daemon', () => {
  it('is described by status, with process and address', options, async () => {
    daemon.add({ keeperPid: 1, activity: 'active' });
    expect(await json('status')).toMatchObject({
      running: true,
      pid: daemon.pid,
      url: daemon.url,
      sessions: { total: 1, live: 1, working: 1, waiting: 0 },
    });
    expect((await amux(testHome, ['status'])).stdout).toContain(daemon.url);
    expect(await json('up')).toMatchObject({ running: true, url: daemon.url });
  });

  it('is stopped by down, which counts running sessions; status then fails without starting it', options, async () => {
    daemon.add({ keeperPid: 1 });
    const { stdout, code } = await amux(testHome, ['down']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Daemon stopped\.\n1 session keeps running/)]);
    const status = await amux(testHome, ['status', '--json']);
    expect(status.code).toBe(1);
    expect(JSON.parse(status.stdout)).toMatchObject({ running: false, pid: null, url: null });
    expect((await amux(testHome, ['down'])).stdout).toBe('The daemon is not running.\n');
  });

  it('has a readable log', options, async () => {
    expect((await amux(testHome, ['logs'])).stdout).toBe('first line\nsecond line\n');
    expect((await amux(testHome, ['logs', '-n', '1'])).stdout).toBe('second line\n');
  });

  it('provides session ids for completion', options, async () => {
    const { id } = daemon.add({ title: 'the parser' });
    expect((await amux(testHome, ['complete', '--', 'attach', ''])).stdout).toBe(
      `${id.slice(0, 8)}\tdemo: the parser\n`,
    );
  });
});
