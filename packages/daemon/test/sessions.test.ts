import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isDense, useMachines } from './daemons.ts';

const machines = useMachines();

describe('session', () => {
  it('runs, asks for approval, and reports its title and summary', async () => {
    const { client, work, until, events } = await machines.start();
    const created = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'write a.txt', tags: ['x'] });
    expect(created).toMatchObject({ agent: 'demo', cwd: work, launch: 1, isTerminated: false, tags: ['x'] });
    await until(created.id, ({ activity }) => activity === 'blocked');
    const [request] = (await client.inbox()).requests;
    expect(request).toMatchObject({ kind: 'approval', event: { toolName: 'write_file', summary: expect.any(Array) } });
    await client.requests.snooze(request?.id ?? '');
    await client.requests.answer(request?.id ?? '', { decision: 'allow' });
    const done = await until(created.id, ({ activity }) => activity === 'idle');
    expect(done).toMatchObject({
      title: 'write a.txt',
      mode: 'live',
      summary: 'Wrote agent-mux-demo/a.txt.',
      agentSessionId: expect.any(String),
      turns: 1,
      costUsd: expect.any(Number),
      openRequests: 0,
    });
    expect(existsSync(join(work, 'agent-mux-demo', 'a.txt'))).toBe(true);
    const types = (await events(created.id)).map(({ type }) => type);
    expect(types[0]).toBe('user_message');
    expect(types.at(-1)).toBe('turn_end');
    expect(await client.usage({ by: 'agent' })).toMatchObject([{ key: 'demo', inputTokens: expect.any(Number) }]);
    const audit = await client.audit();
    const actions = audit.map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['session.create', 'request.snooze', 'request.allow']));
    const snoozed = audit.find(({ action }) => action === 'request.snooze');
    expect(snoozed?.detail).toMatchObject({ tool: 'write_file', title: 'Write agent-mux-demo/a.txt' });
  });

  it('leaves nothing behind when its creation is refused', async () => {
    const { client, work, paths } = await machines.start();
    const create = (options: object) => client.sessions.create({ agent: 'demo', cwd: work, prompt: 'hi', ...options });
    await expect(create({ agent: 'missing' })).rejects.toMatchObject({ problem: 'UNKNOWN_AGENT' });
    await expect(create({ options: { maxTurns: 3 } })).rejects.toMatchObject({ problem: 'CAPABILITY_ERROR' });
    await expect(create({ options: { sessionId: 'x' } })).rejects.toMatchObject({ problem: 'VALIDATION_ERROR' });
    await expect(create({ options: { approvalMode: 'nonsense' } })).rejects.toMatchObject({
      problem: 'VALIDATION_ERROR',
    });
    await expect(create({ cwd: join(work, 'nowhere') })).rejects.toMatchObject({ problem: 'VALIDATION_ERROR' });
    await expect(create({ worktree: true })).rejects.toMatchObject({ problem: 'WORKSPACE_ERROR' });
    expect((await client.sessions.list()).sessions).toEqual([]);
    expect(readdirSync(paths.worktrees)).toEqual([]);
    expect(readdirSync(paths.sessions)).toEqual([]);
  });

  it('delivers messages in order, cancels queued ones and rejects those that must not wait', async () => {
    const { client, work, until } = await machines.start();
    const { id } = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'write a.txt', messageId: 'm1' });
    await until(id, ({ activity }) => activity === 'blocked');
    await client.sessions.send(id, { id: 'm2', text: 'one' });
    await client.sessions.send(id, { id: 'm3', text: 'what did I say before?' });
    await expect(client.sessions.send(id, { text: 'x', mode: 'reject' })).rejects.toMatchObject({
      problem: 'TURN_RUNNING',
    });
    await expect(client.sessions.send(id, { text: 'x', mode: 'steer' })).rejects.toMatchObject({
      problem: 'CAPABILITY_ERROR',
    });
    expect(await client.sessions.cancelMessage(id, 'm2')).toMatchObject({ state: 'cancelled' });
    await expect(client.sessions.cancelMessage(id, 'm1')).rejects.toMatchObject({ problem: 'MESSAGE_NOT_QUEUED' });
    expect(await client.sessions.get(id)).toMatchObject({ queuedMessages: 1 });
    await client.requests.answer((await client.inbox()).requests[0]?.id ?? '', { decision: 'deny', message: 'no' });
    const { summary } = await until(id, ({ turns, activity }) => turns === 2 && activity === 'idle');
    expect(summary).toBe('Before this you said: "write a.txt".');
  });

  it('deletes its scratch folder but no other folder', async () => {
    const { client, work, paths, url, token } = await machines.start();
    const made = await fetch(new URL('/api/v1/scratch-folders', url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    const { path: cwd } = (await made.json()) as { path: string };
    const inScratch = await client.sessions.create({ agent: 'demo', cwd });
    const inWork = await client.sessions.create({ agent: 'demo', cwd: work });
    expect(existsSync(cwd)).toBe(true);
    for (const { id } of [inScratch, inWork]) await client.sessions.remove(id);
    expect(readdirSync(paths.scratch)).toEqual([]);
    expect(existsSync(work)).toBe(true);
  });

  it('can be parked, resumed, stopped, restored and removed', async () => {
    const { client, work, until, paths, keeperOf } = await machines.start();
    const { id } = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'hello' });
    const { agentSessionId } = await until(id, ({ turns }) => turns === 1);
    await client.sessions.park(id);
    await until(id, ({ parked, keeperPid }) => parked && keeperPid === null);
    await expect.poll(() => keeperOf(id)).toBeUndefined();
    await client.sessions.send(id, { text: 'hello' });
    expect(await until(id, ({ turns }) => turns === 2)).toMatchObject({ agentSessionId, parked: false, launch: 2 });
    await client.sessions.send(id, { text: 'hang' });
    await until(id, ({ activity }) => activity === 'active');
    await client.sessions.send(id, { id: 'later', text: 'hello' });
    expect(await client.sessions.stop(id)).toMatchObject({ activity: 'exited', isTerminated: true, error: null });
    expect((await client.sessions.messages(id)).at(-1)).toMatchObject({ id: 'later', state: 'cancelled' });
    await expect(client.sessions.send(id, { text: 'hello' })).rejects.toMatchObject({ problem: 'SESSION_ENDED' });
    await client.sessions.restore(id.slice(0, 6));
    await client.sessions.send(id, { text: 'what did I say before?' });
    const { summary } = await until(id, ({ activity, launch }) => activity === 'idle' && launch === 3);
    expect(summary).toBe('Before this you said: "hello", "hello", "hang".');
    await client.sessions.remove(id);
    await expect(client.sessions.get(id)).rejects.toMatchObject({ problem: 'NOT_FOUND' });
    expect(existsSync(join(paths.sessions, id))).toBe(false);
  });

  it('accepts messages after an interrupted turn', async () => {
    const { client, work, until } = await machines.start();
    const { id } = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'hang' });
    await until(id, ({ lastSeq }) => lastSeq > 3);
    await client.sessions.interrupt(id);
    await until(id, ({ activity }) => activity === 'idle');
    await expect(client.sessions.interrupt(id)).rejects.toMatchObject({ problem: 'NO_ACTIVE_TURN' });
    await client.sessions.send(id, { text: 'hello' });
    await until(id, ({ turns }) => turns === 2);
  });

  it('can be forked, and imported from the agent’s store', async () => {
    const { client, work, until } = await machines.start();
    const { id } = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'hello' });
    const { agentSessionId } = await until(id, ({ turns }) => turns === 1);
    const fork = await client.sessions.fork(id, { prompt: 'what did I say before?' });
    expect(fork).toMatchObject({ forkedFrom: id, title: 'hello (fork)' });
    const copied = await until(fork.id, ({ turns }) => turns === 1);
    expect(copied.summary).toBe('Before this you said: "hello".');
    expect(copied.agentSessionId).not.toBe(agentSessionId);
    await client.sessions.remove(id);
    const imported = await client.sessions.importStored('demo', agentSessionId ?? '');
    expect(imported).toMatchObject({ agent: 'demo', agentSessionId, parked: true, cwd: work });
    await client.sessions.send(imported.id, { text: 'what did I say before?' });
    expect((await until(imported.id, ({ turns }) => turns === 1)).summary).toBe('Before this you said: "hello".');
    expect((await client.sessions.importStored('demo', agentSessionId ?? '')).id).toBe(imported.id);
  });

  it('has its own worktree, whose uncommitted work is saved on removal', async () => {
    const { client, work, until, env } = await machines.start();
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', work, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
        env,
        encoding: 'utf8',
      });
    git('init', '-q', '-b', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    const options = { approvalMode: 'yolo' };
    const { id, cwd, workspace } = await client.sessions.create({
      agent: 'demo',
      cwd: work,
      prompt: 'write a.txt',
      worktree: true,
      options,
    });
    expect(workspace).toMatchObject({ kind: 'worktree', branch: `amux/${id}`, baseBranch: 'main' });
    await until(id, ({ turns }) => turns === 1);
    expect(existsSync(join(cwd, 'agent-mux-demo', 'a.txt'))).toBe(true);
    expect(await client.diff(id)).toMatchObject({ files: [{ path: 'agent-mux-demo/a.txt' }] });
    expect((await client.sessions.list({ cwd: work })).sessions.map((one) => one.id)).toEqual([id]);
    await client.sessions.update(id, { title: 'A note' });
    const listed = { project: work, title: 'A note' };
    await expect.poll(() => client.history.list({ cwd: work })).toMatchObject({ sessions: [listed] });
    expect(await client.sessions.remove(id)).toEqual({
      ...{ id, branch: `amux/${id}`, savedRef: `refs/agent-mux/${id}`, savedPath: null },
    });
    expect(existsSync(cwd)).toBe(false);
    expect(git('show', `refs/agent-mux/${id}:agent-mux-demo/a.txt`)).toContain('note');
    expect(await client.history.list({ cwd: work })).toMatchObject({ sessions: [listed] });
  });

  it.each([false, true])('gives a fork its own worktree, with the uncommitted work: %s', async (withChanges) => {
    const { client, work, until, env } = await machines.start();
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', work, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
        env,
        encoding: 'utf8',
      });
    git('init', '-q', '-b', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    const parent = await client.sessions.create({
      ...{ agent: 'demo', cwd: work, prompt: 'write a.txt', worktree: true, options: { approvalMode: 'yolo' } },
    });
    await until(parent.id, ({ turns }) => turns === 1);
    await client.sessions.finishWorktree(parent.id, 'commit', { message: 'a' });
    await client.sessions.send(parent.id, { text: 'write b.txt' });
    await until(parent.id, ({ turns }) => turns === 2);
    const fork = await client.sessions.fork(parent.id, { ...(withChanges ? { withChanges } : {}), prompt: 'hello' });
    await until(fork.id, ({ turns }) => turns === 1);
    expect(fork.cwd).not.toBe(parent.cwd);
    expect(fork.workspace).toMatchObject({ branch: `amux/${fork.id}`, baseBranch: 'main', repository: work });
    const there = (name: string) => existsSync(join(fork.cwd, 'agent-mux-demo', name));
    expect([there('a.txt'), there('b.txt')]).toEqual([true, withChanges]);
    const guest = await client.sessions.create({ agent: 'demo', cwd: parent.cwd });
    await expect(client.sessions.remove(parent.id)).rejects.toThrow(`session ${guest.id} works in the worktree`);
    await client.sessions.stop(guest.id);
    await client.sessions.remove(parent.id);
    expect([existsSync(parent.cwd), there('a.txt')]).toEqual([false, true]);
    await client.sessions.send(fork.id, { text: 'write c.txt' });
    await until(fork.id, ({ turns }) => turns === 2);
    expect((await client.diff(fork.id)).files.map(({ path }) => path)).toContain('agent-mux-demo/c.txt');
    await expect(client.sessions.finishWorktree(fork.id, 'commit')).resolves.toMatchObject({ into: null });
  });

  it('refuses to fork with changes without a worktree', async () => {
    const { client, work, until } = await machines.start();
    const { id } = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'hello' });
    await until(id, ({ turns }) => turns === 1);
    await expect(client.sessions.fork(id, { withChanges: true })).rejects.toThrow('has no worktree');
  });

  it('receives uploaded files', async () => {
    const { client, work, until } = await machines.start();
    const file = await client.files.upload('talk.txt', Buffer.from('hello'));
    const { id } = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'hello', files: [file.id] });
    expect((await until(id, ({ turns }) => turns === 1)).summary).toContain('Thank you for talk.txt');
  });
});

describe('stored data', () => {
  it('contains no secrets', async () => {
    const machine = await machines.start();
    const { client, work, until, events } = machine;
    const secret = `sk-${'ant'}-0123456789abcdefghij`;
    const own = 'correct-horse-battery-1';
    const env = { DEMO_TOKEN: own };
    const { id } = await client.sessions.create({
      agent: 'demo',
      cwd: work,
      prompt: `write a.txt "${secret} ${own}"`,
      env,
      options: { approvalMode: 'yolo' },
    });
    await until(id, ({ turns }) => turns === 1);
    expect(JSON.stringify(await events(id))).toContain('[redacted]');
    await client.sessions.park(id);
    await until(id, ({ parked }) => parked);
    await machine.end();
    const found = filesBelow(machine.paths.root).filter((file) => {
      const text = readFileSync(file, 'latin1');
      return text.includes(secret) || text.includes(own);
    });
    expect(found).toEqual([]);
  });

  it('excludes values of variables, which are requested again by name', async () => {
    const machine = await machines.start();
    const { client, work, until } = machine;
    const { id } = await client.sessions.create({
      agent: 'demo',
      cwd: work,
      prompt: 'hello',
      env: { MY_SETTING: 'blue-1' },
    });
    await until(id, ({ turns }) => turns === 1);
    await client.sessions.park(id);
    await until(id, ({ parked }) => parked);
    await machine.kill();
    await machine.start();
    await expect(machine.client.sessions.send(id, { text: 'hello' })).rejects.toMatchObject({
      problem: 'MISSING_ENV',
      message: expect.stringContaining('MY_SETTING'),
    });
    await machine.client.sessions.restore(id, { env: { MY_SETTING: 'blue-1' } });
    await machine.client.sessions.send(id, { text: 'hello' });
    await until(id, ({ turns }) => turns === 2);
  });

  it('restores the model and approval mode after a restart', async () => {
    const machine = await machines.start();
    const options = { model: 'demo-mini', approvalMode: 'deny' };
    const { id } = await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'hello', options });
    await machine.until(id, ({ turns }) => turns === 1);
    await machine.client.sessions.park(id);
    await machine.until(id, ({ parked }) => parked);
    await machine.kill();
    await machine.start();
    await machine.client.sessions.send(id, { text: 'write a.txt' });
    const back = await machine.until(id, ({ turns }) => turns === 2);
    expect(back).toMatchObject({ model: 'demo-mini', approvalMode: 'deny', options });
    expect(existsSync(join(machine.work, 'agent-mux-demo', 'a.txt'))).toBe(false);
    const models = (await machine.events(id)).flatMap((event) => (event.type === 'session_start' ? [event.model] : []));
    expect(models).toEqual(['demo-mini', 'demo-mini']);
  });

  it('excludes content if storeContent is false', async () => {
    const { client, work, until, events } = await machines.start({ storeContent: false });
    const { id } = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'hello' });
    const { summary, title, statusText } = await until(id, ({ turns }) => turns === 1);
    expect({ summary, title, statusText }).toEqual({ summary: null, title: null, statusText: null });
    const types = (await events(id)).map(({ type }) => type);
    expect(types).toContain('turn_end');
    expect(types).not.toContain('text_delta');
    expect(types).not.toContain('user_message');
  });
});

describe('limits', () => {
  it('park an idle session to start another one', async () => {
    const { client, work, until } = await machines.start({ maxLiveSessions: 1 });
    const first = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'hello' });
    await until(first.id, ({ turns }) => turns === 1);
    const second = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'write a.txt' });
    await until(first.id, ({ parked }) => parked);
    await until(second.id, ({ activity }) => activity === 'blocked');
    await expect(client.sessions.send(first.id, { text: 'hello' })).rejects.toMatchObject({
      problem: 'TOO_MANY_SESSIONS',
    });
  });

  it('park sessions after a timeout, but never with an open request', async () => {
    const { client, work, until } = await machines.start({ parkAfter: '300ms' });
    const asking = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'write a.txt' });
    const idle = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'hello' });
    await until(idle.id, ({ parked, turns }) => parked && turns === 1);
    expect(await client.sessions.get(asking.id)).toMatchObject({ activity: 'blocked', parked: false });
  });

  it('end a run that takes too long', async () => {
    const { client, work, until } = await machines.start({ maxRuntime: '1s' });
    const { id } = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'hang' });
    expect((await until(id, ({ isTerminated }) => isTerminated)).error).toMatchObject({ code: 'TIMEOUT' });
  });

  it('end a run with too much output', async () => {
    const { client, work, until } = await machines.start({ maxOutputBytes: 20_000 });
    const { id } = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'long 5000' });
    const { error } = await until(id, ({ isTerminated }) => isTerminated);
    expect(JSON.stringify(error)).toContain('20000');
  });
});

describe('large payloads', () => {
  it('are stored separately and replaced by a preview', async () => {
    const { client, work, until, events, paths } = await machines.start({ maxInlineChars: 1024 });
    const text = 'x'.repeat(5000);
    const { id } = await client.sessions.create({
      agent: 'demo',
      cwd: work,
      prompt: `write a.txt "${text}"`,
      options: { approvalMode: 'yolo' },
    });
    await until(id, ({ turns }) => turns === 1);
    const all = await events(id);
    expect(isDense(all)).toBe(true);
    expect(Math.max(...all.map((event) => JSON.stringify(event).length))).toBeLessThan(5000);
    expect(readdirSync(paths.blobs).length).toBeGreaterThan(0);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
