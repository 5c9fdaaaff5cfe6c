import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { amux, newPlace, PATIENCE_MS, type Place } from './amux.ts';
import { FakeDaemon, writing } from './fake-daemon.ts';

const options = { timeout: PATIENCE_MS };

let place: Place;
let daemon: FakeDaemon;
beforeEach(async () => {
  place = newPlace();
  daemon = new FakeDaemon(place);
  await daemon.listen();
});
afterEach(() => daemon.die());

/** What the command prints for a program. */
async function json<Value = Record<string, unknown>>(...args: string[]): Promise<Value> {
  const { stdout, code, stderr } = await amux(place, [...args, '--json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

const lastCall = (call: string) => daemon.calls.findLast((each) => each.call === call)?.body;

describe('amux new', () => {
  it('prints the id alone, and hands over prompt, folder, options and the environment', options, async () => {
    const flags = ['-a', 'demo', '-m', 'small', '--yolo', '--env', 'COLOUR=red', '--title', 'First', '--tag', 'x'];
    const { stdout, code } = await amux(place, ['new', ...flags, 'say', 'hello'], { env: { OWN: 'here' } });
    expect(code).toBe(0);
    expect([...daemon.sessions.keys()]).toEqual([stdout.trim()]);
    expect(lastCall('POST /sessions')).toMatchObject({
      agent: 'demo',
      prompt: 'say hello',
      cwd: place.cwd,
      title: 'First',
      options: { model: 'small', approvalMode: 'yolo' },
      env: { COLOUR: 'red' },
      hostEnv: { OWN: 'here', HOME: place.home },
      worktree: false,
      tags: ['x'],
    });
  });

  it('is what run --detach does; flags that a session that stays cannot have are refused', options, async () => {
    const session = await json('run', '-a', 'demo', '--detach', '--branch', 'try', 'hi');
    expect(session).toMatchObject({ agent: 'demo', title: 'hi', activity: 'idle' });
    expect(lastCall('POST /sessions')).toMatchObject({ worktree: { branch: 'try' } });
    const { code, stderr } = await amux(place, ['run', '-a', 'demo', '-d', '-i', 'hi']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--interactive contradicts --detach')]);
    expect((await amux(place, ['run', '-a', 'demo', '--worktree', 'hi'])).code).toBe(2);
  });

  it('reads the prompt from stdin, and uploads what goes with it', options, async () => {
    const { code } = await amux(place, ['new', '-a', 'demo', '--attach', process.execPath.replace(/node$/, 'node')], {
      stdin: 'from a pipe',
    });
    expect(code).toBe(0);
    expect(lastCall('POST /sessions')).toMatchObject({
      prompt: 'from a pipe',
      files: [expect.stringMatching(/^file/)],
    });
    const missing = await amux(place, ['new', '-a', 'demo', '--attach', 'nowhere.png', 'hi']);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('nowhere.png')]);
  });
});

describe('amux ps', () => {
  it('lists what is at work, those that wait for a person first', options, async () => {
    daemon.add({ title: 'older', lastActiveAt: 1 });
    daemon.add({ title: 'newer', lastActiveAt: Date.now(), costUsd: 0.25, costSource: 'estimated' });
    const asks = daemon.add({ title: 'asks', lastActiveAt: 2 });
    daemon.ask(asks.id, writing('hello.txt'));
    daemon.add({ title: 'over', isTerminated: true, activity: 'exited' });
    const { stdout } = await amux(place, ['ps']);
    const rows = stdout.trimEnd().split('\n');
    expect(rows[0]).toMatch(/^ID +AGENT +STATE +TITLE +FOLDER +AGE +COST +WAITS FOR$/);
    expect(rows.slice(1).map((row) => / (older|newer|asks|over) /.exec(row)?.[1])).toEqual(['asks', 'newer', 'older']);
    expect(rows[1]).toMatch(/◆ asks +asks .*Write hello\.txt$/);
    expect(rows[2]).toMatch(/○ idle +newer .*~\$0\.25/);
    expect((await amux(place, ['ps', '--all'])).stdout).toContain('■ ended');
    expect((await json<{ sessions: unknown[] }>('ps')).sessions).toHaveLength(3);
  });

  it('says how to begin where there is none', options, async () => {
    const { stdout, stderr } = await amux(place, ['ps']);
    expect(stdout).toContain('No session is at work.');
    expect(stderr).toContain('amux new -a AGENT');
  });
});

describe('amux show', () => {
  it('takes the beginning of an id, and shows what is open and what waits', options, async () => {
    const { id } = daemon.add({ title: 'a title', model: 'small', nativeId: 'native-1' });
    daemon.turn(id, 'ask');
    await amux(place, ['send', id, 'and then this']);
    expect(await json('show', id.slice(0, 5))).toMatchObject({ id, nativeId: 'native-1', activity: 'waiting_input' });
    const { stdout } = await amux(place, ['show', id.slice(0, 5)]);
    for (const text of [
      '◆ asks',
      'a title',
      'native-1',
      'and then this',
      'Write hello.txt',
      '+ world',
      'amux approve ',
    ])
      expect(stdout).toContain(text);
  });

  it('is refused for an id that nobody has, and for one that two have', options, async () => {
    daemon.add({ id: 'aa1' });
    daemon.add({ id: 'aa2' });
    const nobody = await amux(place, ['show', 'zz', '--json']);
    expect(nobody.code).toBe(1);
    expect(JSON.parse(nobody.stdout)).toMatchObject({ type: 'error', problem: 'NOT_FOUND', exitCode: 1 });
    expect(nobody.stderr).toContain('amux ps --all');
    expect((await amux(place, ['show', 'aa'])).code).toBe(2);
    expect((await amux(place, ['show'])).code).toBe(2);
  });
});

describe('what an agent asks', () => {
  it('is shown whole in the inbox, with the commands that answer it', options, async () => {
    const { id } = daemon.add({ title: 'the parser' });
    daemon.turn(id, 'ask');
    daemon.add({ title: 'broken', error: { code: 'AGENT_CRASH', message: 'it fell' }, isTerminated: true });
    const { stdout } = await amux(place, ['inbox']);
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

  it('is allowed or denied by the id of the session or of the request', options, async () => {
    const { id } = daemon.add();
    daemon.turn(id, 'ask');
    expect((await amux(place, ['approve', id.slice(0, 6)])).stdout).toBe('Allowed: Write hello.txt\n');
    const second = daemon.ask(id, writing('b.txt'));
    expect(await json('deny', second.id, 'use', 'tabs')).toMatchObject({ outcome: 'denied', state: 'answered' });
    expect(lastCall(`POST /requests/${second.id}/answer`)).toEqual({ decision: 'deny', message: 'use tabs' });
    const third = daemon.ask(id, writing('c.txt'));
    await json('approve', id, '--always');
    expect(lastCall(`POST /requests/${third.id}/answer`)).toEqual({ decision: 'allow', optionId: 'always' });
  });

  it('is not answered where several are open: they are listed, and the exit code is 2', options, async () => {
    const { id } = daemon.add();
    const a = daemon.ask(id, writing('a.txt'));
    const b = daemon.ask(id, writing('b.txt'));
    const { code, stderr } = await amux(place, ['approve', id]);
    expect(code).toBe(2);
    for (const { id: request } of [a, b]) expect(stderr).toContain(`amux approve ${request.slice(0, 8)}`);
    expect([...daemon.requests.values()].map(({ state }) => state)).toEqual(['open', 'open']);
    expect((await amux(place, ['approve', id, b.id.slice(0, 4)])).stdout).toContain('b.txt');
    expect((await amux(place, ['approve', id])).stdout).toContain('a.txt');
    const none = await amux(place, ['approve', id]);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('has nothing open')]);
  });

  it('is a question with options, which take a number or a name and nothing else', options, async () => {
    const { id } = daemon.add();
    daemon.turn(id, 'question');
    const wrong = await amux(place, ['answer', id, '7']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('1 Red, 2 Blue')]);
    expect((await amux(place, ['approve', id])).code).toBe(2);
    expect(await json('answer', id, '2')).toMatchObject({
      outcome: 'answered',
      answer: { answers: { colour: ['Blue'] } },
    });
  });
});

describe('amux send', () => {
  it('sends now, or waits for the turn, or is refused', options, async () => {
    const { id } = daemon.add();
    expect(await json('send', id, 'slow')).toMatchObject({ state: 'accepted', text: 'slow', mode: 'queue' });
    expect((await amux(place, ['send', id, 'later'])).stdout).toContain('waits for its turn');
    const refused = await amux(place, ['send', id, '--now', 'at once']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('a turn runs')]);
    expect((await amux(place, ['send', id, '--steer', 'not that'])).stdout).toContain('within its turn');
    expect((await amux(place, ['send', id])).code).toBe(2);
  });
});

describe('the life of a session', () => {
  it('is interrupted, parked, stopped, restored, forked and removed', options, async () => {
    const { id } = daemon.add();
    daemon.turn(id, 'slow');
    expect(await json('interrupt', id)).toMatchObject({ activity: 'idle' });
    expect((await amux(place, ['interrupt', id])).code).toBe(1);
    expect(await json('park', id)).toMatchObject({ parked: true });
    expect(await json('stop', id)).toMatchObject({ isTerminated: true });
    expect(await json('restore', id, '--env', 'KEY=1')).toMatchObject({ isTerminated: false });
    expect(lastCall(`POST /sessions/${id}/restore`)).toEqual({ env: { KEY: '1' } });
    expect(await json('fork', id, '--title', 'copy', 'go', 'on')).toMatchObject({ forkedFrom: id });
    expect(lastCall(`POST /sessions/${id}/fork`)).toEqual({ prompt: 'go on', title: 'copy' });
    const unasked = await amux(place, ['rm', id.slice(0, 6)]);
    expect([unasked.code, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    expect([...daemon.sessions.keys()]).toContain(id);
    expect((await amux(place, ['rm', id.slice(0, 6), '--yes'])).stdout).toBe('The session is removed.\n');
    expect([...daemon.sessions.keys()]).not.toContain(id);
  });

  it('takes over a session that an agent has stored', options, async () => {
    const run = await amux(place, ['run', '-a', 'demo', '--json', '--no-stdin', 'hello']);
    const { sessionId } = JSON.parse(run.stdout.trimEnd().split('\n').at(-1) ?? '');
    await json('restore', sessionId.slice(0, 12));
    expect(lastCall(`POST /history/demo/${sessionId}/restore`)).toEqual({ cwd: place.cwd });
  });
});

describe('amux events', () => {
  it('prints each event on a line, in order, and all pages', options, async () => {
    const { id } = daemon.add();
    for (let at = 0; at < 1200; at += 1) daemon.happen(id, { type: 'text_delta', delta: `${at} ` });
    const lines = (await amux(place, ['events', id, '--json'])).stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).seq)).toEqual(Array.from({ length: 1200 }, (_, at) => at));
    const rest = await amux(place, ['events', id, '--after', '1197']);
    expect(rest.stdout).toMatch(/^ 1198 .*text_delta +1198\n 1199 .*1199\n$/);
    expect((await amux(place, ['events', id, '--after', 'x'])).code).toBe(2);
  });

  it('goes on to the end of the launch, whose result is the last', options, async () => {
    const { id } = daemon.add();
    daemon.turn(id, 'slow');
    const following = amux(place, ['events', id, '--until-end', '--json']);
    await expect
      .poll(() => daemon.calls.filter(({ call }) => call.endsWith('/events')).length, options)
      .toBeGreaterThan(0);
    await amux(place, ['stop', id]);
    const lines = (await following).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type);
    expect(lines).toEqual(['user_message', 'turn_start', 'text_delta', 'run_result']);
  });
});

describe('the daemon', () => {
  it('is told of by status, with its process and address', options, async () => {
    daemon.add({ keeperPid: 1, activity: 'active' });
    expect(await json('status')).toMatchObject({
      running: true,
      pid: daemon.pid,
      url: daemon.url,
      sessions: { total: 1, live: 1, working: 1, waiting: 0 },
    });
    expect((await amux(place, ['status'])).stdout).toContain(daemon.url);
    expect(await json('up')).toMatchObject({ running: true, url: daemon.url });
  });

  it('is ended by down, which says what goes on; without it status fails and nothing is started', options, async () => {
    daemon.add({ keeperPid: 1 });
    const { stdout, code } = await amux(place, ['down']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/The daemon has ended\.\n1 session continues/)]);
    const status = await amux(place, ['status', '--json']);
    expect(status.code).toBe(1);
    expect(JSON.parse(status.stdout)).toMatchObject({ running: false, pid: null, url: null });
    expect((await amux(place, ['down'])).stdout).toBe('The daemon does not run.\n');
  });

  it('has a log that can be read', options, async () => {
    expect((await amux(place, ['logs'])).stdout).toBe('first line\nsecond line\n');
    expect((await amux(place, ['logs', '-n', '1'])).stdout).toBe('second line\n');
  });

  it('is asked for the ids that a shell completes', options, async () => {
    const { id } = daemon.add({ title: 'the parser' });
    expect((await amux(place, ['complete', '--', 'attach', ''])).stdout).toBe(`${id.slice(0, 8)}\tdemo: the parser\n`);
  });
});
