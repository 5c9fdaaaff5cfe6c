import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { identityOf } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { PROTOCOL_VERSION } from '../src/keeper/protocol.ts';
import { isDense, useMachines } from './daemons.ts';

const machines = useMachines();

/** False for a zombie. */
function isAlive(pid: number): boolean {
  return identityOf(pid) !== undefined;
}

describe('daemon after SIGKILL', () => {
  it('resumes its sessions from the same processes, with every event once and in order', async () => {
    const machine = await machines.start();
    const { id } = await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'slow please' });
    const before = await machine.until(id, ({ lastSeq }) => lastSeq > 10);
    const agents = machine.agentsOf(before);
    await machine.kill();
    await machine.start();
    const after = await machine.until(id, ({ activity }) => activity === 'idle');
    expect(after.keeperPid).toBe(before.keeperPid);
    expect(machine.agentsOf(after)).toEqual(agents);
    const events = await machine.events(id);
    expect(isDense(events)).toBe(true);
    const text = events.map((event) => (event.type === 'text_delta' ? event.delta : '')).join('');
    expect(text.trim()).toBe(Array.from({ length: 100 }, (_, i) => i + 1).join(' '));
  });

  it('keeps open requests, which can be answered once', async () => {
    const machine = await machines.start();
    const { id } = await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'write a.txt' });
    await machine.until(id, ({ activity }) => activity === 'blocked');
    await machine.kill();
    await machine.start();
    const { requests } = await machine.client.inbox();
    expect(requests).toMatchObject([{ sessionId: id, state: 'open' }]);
    const request = requests[0]?.id ?? '';
    await machine.client.requests.answer(request, { decision: 'allow' });
    await expect(machine.client.requests.answer(request, { decision: 'deny' })).rejects.toMatchObject({
      problem: 'REQUEST_CLOSED',
    });
    const session = await machine.until(id, ({ activity }) => activity === 'idle');
    expect(session.summary).toContain('Wrote');
    expect(await machine.client.requests.get(request)).toMatchObject({
      state: 'answered',
      outcome: 'allowed',
      by: 'token',
    });
  });

  it('delivers queued messages once, even if they are sent again', async () => {
    const machine = await machines.start();
    const { id } = await machine.client.sessions.create({
      agent: 'demo',
      cwd: machine.work,
      prompt: 'slow please',
      messageId: 'm1',
    });
    await machine.client.sessions.send(id, { id: 'm2', text: 'hello' });
    await machine.kill();
    await machine.start();
    await machine.client.sessions.send(id, { id: 'm2', text: 'hello' });
    await machine.client.sessions.send(id, { id: 'm3', text: 'what did I say before?' });
    const session = await machine.until(id, ({ turns }) => turns === 3);
    expect(session.summary).toBe('Before this you said: "slow please", "hello".');
    const messages = await machine.client.sessions.messages(id);
    expect(messages.map((each) => [each.id, each.state])).toEqual([
      ['m1', 'completed'],
      ['m2', 'completed'],
      ['m3', 'completed'],
    ]);
  });

  it('leaves its sessions running after SIGTERM, too', async () => {
    const machine = await machines.start();
    const { id } = await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'hang' });
    const { keeperPid } = await machine.until(id, ({ activity, lastSeq }) => activity === 'active' && lastSeq > 3);
    await machine.end();
    expect(existsSync(machine.paths.record)).toBe(false);
    expect(isAlive(keeperPid ?? -1)).toBe(true);
    await machine.start();
    await machine.client.sessions.interrupt(id);
    await machine.until(id, ({ activity }) => activity === 'idle');
  });
});

describe('keeper after SIGKILL', () => {
  it('leaves no process, an unknown message and a session that can be restored by its id', async () => {
    const machine = await machines.start();
    const { id } = await machine.client.sessions.create({
      agent: 'demo',
      cwd: machine.work,
      prompt: 'slow please',
      messageId: 'm1',
    });
    const before = await machine.until(id, ({ lastSeq }) => lastSeq > 10);
    process.kill(before.keeperPid ?? 0, 'SIGKILL');
    const lost = await machine.until(id, ({ activity }) => activity === 'exited');
    expect(lost).toMatchObject({ isTerminated: true, keeperPid: null, error: { code: 'KEEPER_LOST' } });
    await expect.poll(() => machine.agentsOf(before)).toEqual([]);
    expect(await machine.client.sessions.messages(id)).toMatchObject([{ id: 'm1', state: 'unknown' }]);
    await expect(machine.client.sessions.send(id, { text: 'hello' })).rejects.toMatchObject({
      problem: 'SESSION_ENDED',
    });
    await machine.client.sessions.restore(id);
    await machine.client.sessions.send(id, { text: 'what did I say before?' });
    const back = await machine.until(id, ({ turns, activity }) => turns === 1 && activity === 'idle');
    expect(back).toMatchObject({
      agentSessionId: before.agentSessionId,
      summary: 'Before this you said: "slow please".',
      launch: 2,
    });
    expect(isDense(await machine.events(id))).toBe(true);
  });

  it('does not affect an idle session, which the next message resumes', async () => {
    const machine = await machines.start();
    const { id } = await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'hello' });
    const before = await machine.until(id, ({ activity, turns }) => activity === 'idle' && turns === 1);
    process.kill(before.keeperPid ?? 0, 'SIGKILL');
    await machine.until(id, ({ parked, isTerminated }) => parked && !isTerminated);
    await machine.client.sessions.send(id, { text: 'hello' });
    const back = await machine.until(id, ({ turns }) => turns === 2);
    expect(back).toMatchObject({
      summary: 'Hello again! This is message 2 of our session.',
      agentSessionId: before.agentSessionId,
    });
  });

  it('is reconciled by the next daemon if both were killed, ignoring a torn last line', async () => {
    const machine = await machines.start();
    const { id } = await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'slow please' });
    const { keeperPid, lastSeq } = await machine.until(id, (session) => session.lastSeq > 10);
    await machine.kill();
    process.kill(keeperPid ?? 0, 'SIGKILL');
    await expect.poll(() => isAlive(keeperPid ?? 0)).toBe(false);
    const journal = join(machine.paths.sessions, id, 'journal');
    const segment = join(journal, readdirSync(journal).at(-1) ?? '');
    writeFileSync(segment, `${readFileSync(segment, 'utf8')}{"type":"text_delta","delta":"half an ev`);
    await machine.start();
    const lost = await machine.client.sessions.get(id);
    expect(lost).toMatchObject({ activity: 'exited', error: { code: 'KEEPER_LOST' } });
    const events = await machine.events(id);
    expect(isDense(events)).toBe(true);
    expect(events.length).toBeGreaterThan(lastSeq);
    expect(events.at(-1)?.type).toBe('keeper_lost');
  });
});

describe('keeper that does not answer', () => {
  it('is not killed and delays no other session; its messages wait', async () => {
    const machine = await machines.start();
    const { id } = await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'hang' });
    const before = await machine.until(id, ({ lastSeq }) => lastSeq > 3);
    process.kill(before.keeperPid ?? 0, 'SIGSTOP');
    try {
      await machine.kill();
      await machine.start();
      const other = await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'hello' });
      await machine.until(other.id, ({ turns }) => turns === 1);
      await machine.until(id, ({ activity }) => activity === 'no_signal');
      expect(await machine.client.sessions.send(id, { text: 'hello' })).toMatchObject({ state: 'queued' });
    } finally {
      process.kill(before.keeperPid ?? 0, 'SIGCONT');
    }
    const after = await machine.until(id, ({ activity }) => activity === 'active');
    expect(after.keeperPid).toBe(before.keeperPid);
    await machine.client.sessions.interrupt(id);
    await machine.until(id, ({ activity, turns }) => activity === 'idle' && turns === 2);
    expect((await machine.client.sessions.messages(id)).map(({ state }) => state)).toEqual(['completed', 'completed']);
  });
});

describe.runIf(process.platform === 'linux')('keeper of another version', () => {
  const OLD = fileURLToPath(new URL('./hosts/old-keeper.mjs', import.meta.url));

  /** A session whose keeper and daemon were killed, now held by a keeper of that version. */
  async function heldBy(protocol: number) {
    const machine = await machines.start();
    const { id } = await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'hang' });
    const { keeperPid } = await machine.until(id, ({ lastSeq }) => lastSeq > 3);
    await machine.kill();
    process.kill(keeperPid ?? 0, 'SIGKILL');
    await expect.poll(() => isAlive(keeperPid ?? 0)).toBe(false);
    const folder = join(machine.paths.sessions, id);
    rmSync(join(folder, 'keeper.json'));
    const keeper = spawn(process.execPath, [OLD, folder, String(protocol)], { stdio: 'inherit' });
    await expect.poll(() => existsSync(join(folder, 'keeper.json'))).toBe(true);
    await machine.start();
    return { machine, id, keeper };
  }

  it('is supported if it is one version older', async () => {
    const { machine, id, keeper } = await heldBy(PROTOCOL_VERSION - 1);
    await machine.until(id, ({ statusText }) => statusText?.endsWith('from an old keeper') ?? false);
    await machine.client.sessions.interrupt(id);
    await machine.until(id, ({ activity }) => activity === 'idle');
    keeper.kill('SIGKILL');
    await machine.until(id, ({ parked }) => parked);
    expect(isDense(await machine.events(id))).toBe(true);
  });

  it('is left alone if its version is unknown', async () => {
    const { machine, id, keeper } = await heldBy(PROTOCOL_VERSION + 1);
    await machine.until(id, ({ activity }) => activity === 'no_signal');
    expect(keeper.exitCode).toBeNull();
    expect(await machine.client.sessions.stop(id)).toMatchObject({ activity: 'exited', isTerminated: true });
    expect(isAlive(keeper.pid ?? 0)).toBe(false);
  });
});

describe('agent that crashes', () => {
  it('reports the reason, and the session can be restored', async () => {
    const machine = await machines.start();
    const { id } = await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'hello' });
    await machine.until(id, ({ turns }) => turns === 1);
    await machine.client.sessions.send(id, { text: 'fail crash' });
    const crashed = await machine.until(id, ({ activity }) => activity === 'exited');
    expect(crashed).toMatchObject({ isTerminated: true, error: { code: 'AGENT_CRASH' } });
    expect(crashed.error?.message).toContain('; stderr: ');
    await machine.client.sessions.restore(id);
    await machine.client.sessions.send(id, { text: 'hello' });
    await machine.until(id, ({ turns, activity }) => turns === 3 && activity === 'idle');
  });
});

describe('two daemons', () => {
  it('never serve one state folder: the second waits until the first has ended', async () => {
    const machine = await machines.start();
    const first = machine.pid;
    const second = machine.start();
    await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'hello' });
    expect(machine.pid).toBe(first);
    process.kill(first, 'SIGKILL');
    await second;
    expect(machine.pid).not.toBe(first);
    expect((await machine.client.sessions.list()).sessions).toHaveLength(1);
  });
});
