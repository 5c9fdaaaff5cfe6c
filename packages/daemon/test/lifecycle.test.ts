import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findDaemon } from '../src/start/find.ts';
import type { ConversationOptions } from './conversation-adapter.ts';
import { isDense, isRunning, type Machine, useMachines } from './daemons.ts';

const machines = useMachines();
const FROM = fileURLToPath(new URL('./conversation-adapter.ts', import.meta.url));

const RESUMABLE: readonly ConversationOptions[] = [
  { agent: 'stays', process: 'stays', conversation: 'resumable' },
  { agent: 'once', process: 'once', conversation: 'resumable' },
  { agent: 'shares', process: 'shares', conversation: 'resumable', exitMs: 150 },
];

async function startWith(agents: readonly ConversationOptions[], daemon = {}): Promise<Machine> {
  return machines.start(daemon, { adapters: agents.map((options) => ({ from: FROM, options })) });
}

async function sendAndWait({ client, until }: Machine, id: string, text: string): Promise<void> {
  await client.sessions.send(id, { id: `m-${text}`, text });
  await until(id, ({ activity, queuedMessages }) => queuedMessages === 0 && activity === 'idle');
}

/** The last answer of a session: all messages that its agent received in this conversation. */
async function lastAnswer({ events }: Machine, id: string): Promise<string | undefined> {
  return (await events(id)).flatMap((one) => (one.type === 'text_delta' ? one.delta : [])).at(-1);
}

describe('second session of an agent that shares a process', () => {
  it('starts in the same keeper as the first, and so does a fork', async () => {
    const machine = await startWith([{ agent: 'shares', process: 'shares', conversation: 'resumable' }]);
    const { client, until, work, keeperOf } = machine;
    const first = await client.sessions.create({ agent: 'shares', cwd: work, prompt: 'one' });
    const second = await client.sessions.create({ agent: 'shares', cwd: work, prompt: 'two' });
    for (const { id } of [first, second]) await until(id, ({ activity }) => activity === 'idle');
    expect(keeperOf(second.id)?.pid).toBe(keeperOf(first.id)?.pid);
    const fork = await client.sessions.fork(first.id, { prompt: 'three' });
    await until(fork.id, ({ activity, turns }) => activity === 'idle' && turns === 1);
    expect(await lastAnswer(machine, second.id)).toBe('two');
    expect(await lastAnswer(machine, fork.id)).toBe('one|three');
    expect(isDense(await machine.events(fork.id))).toBe(true);
  });
});

describe('message sent immediately', () => {
  const ROUNDS = 3;
  // Each round starts a keeper.
  const LIMIT = { timeout: 300_000 };
  for (const options of RESUMABLE) {
    it(`is answered right after park (${options.agent})`, LIMIT, async () => {
      const machine = await startWith([options]);
      const { client, work, until } = machine;
      const { id } = await client.sessions.create({ agent: options.agent, cwd: work, prompt: 'start' });
      await until(id, ({ activity, turns }) => activity === 'idle' && turns === 1);
      const sent = ['start'];
      for (let round = 0; round < ROUNDS; round++) {
        await client.sessions.park(id);
        sent.push(`p${round}`);
        await sendAndWait(machine, id, `p${round}`);
      }
      expect(await lastAnswer(machine, id)).toBe(sent.join('|'));
      expect(isDense(await machine.events(id))).toBe(true);
    });

    it(`is answered right after stop and restore (${options.agent})`, LIMIT, async () => {
      const machine = await startWith([options]);
      const { client, work, until } = machine;
      const { id } = await client.sessions.create({ agent: options.agent, cwd: work, prompt: 'start' });
      await until(id, ({ activity, turns }) => activity === 'idle' && turns === 1);
      const sent = ['start'];
      for (let round = 0; round < ROUNDS; round++) {
        await client.sessions.stop(id);
        await client.sessions.restore(id);
        sent.push(`r${round}`);
        await sendAndWait(machine, id, `r${round}`);
      }
      expect(await lastAnswer(machine, id)).toBe(sent.join('|'));
      expect(isDense(await machine.events(id))).toBe(true);
    });
  }
});

describe.runIf(process.platform === 'linux')('keeper that is alive but does not answer', () => {
  const AGENT: ConversationOptions = { agent: 'stays', process: 'stays', conversation: 'resumable' };

  async function start(machine: Machine): Promise<{ id: string; keeper: number }> {
    const { client, work, until } = machine;
    const { id } = await client.sessions.create({ agent: 'stays', cwd: work, prompt: 'one' });
    const { keeperPid } = await until(id, ({ activity, turns }) => activity === 'idle' && turns === 1);
    return { id, keeper: keeperPid ?? 0 };
  }

  it('is retried by one timer, and commands suggest what works meanwhile', async () => {
    const machine = await startWith([AGENT]);
    const { id } = await start(machine);
    const file = join(machine.paths.sessions, id, 'keeper.json');
    const record = readFileSync(file, 'utf8');
    await machine.kill();
    writeFileSync(file, JSON.stringify({ ...JSON.parse(record), protocol: 999 }));
    await machine.start();
    const { client, until } = machine;
    await until(id, ({ activity }) => activity === 'no_signal');
    for (let i = 0; i < 3; i++) await client.sessions.send(id, { id: `m${i}`, text: `x${i}` });
    const refusal = { problem: 'KEEPER_UNREACHABLE', hint: expect.stringContaining(`amux stop ${id}`) };
    await expect(client.sessions.park(id)).rejects.toMatchObject(refusal);
    await expect(client.sessions.interrupt(id)).rejects.toMatchObject(refusal);
    writeFileSync(file, record);
    await until(id, ({ activity, turns }) => activity === 'idle' && turns === 4);
    expect(machine.log().match(/unsupported protocol version 999/g)).toHaveLength(1);
    expect(await lastAnswer(machine, id)).toBe('one|x0|x1|x2');
  });

  it('is killed by stop after SIGSTOP, and the session can be restored', async () => {
    const machine = await startWith([AGENT]);
    const { client } = machine;
    const { id, keeper } = await start(machine);
    process.kill(keeper, 'SIGSTOP');
    expect(await client.sessions.stop(id)).toMatchObject({ isTerminated: true, activity: 'exited' });
    expect(isRunning(keeper)).toBe(false);
    await client.sessions.restore(id);
    await sendAndWait(machine, id, 'two');
    expect(await lastAnswer(machine, id)).toBe('one|two');
  });

  it('ends its session when the folder was deleted, before a second process starts', async () => {
    const machine = await startWith([AGENT]);
    const { client, until, agentsOf } = machine;
    const { id, keeper } = await start(machine);
    const session = await client.sessions.get(id);
    await machine.kill();
    rmSync(join(machine.paths.sessions, id), { recursive: true });
    await machine.start();
    await machine.client.sessions.send(id, { id: 'm2', text: 'two' });
    // The second message waits until the first process has exited.
    const isSecond = ({ launch, isTerminated }: { launch: number; isTerminated: boolean }) =>
      launch > 1 || isTerminated;
    await until(id, isSecond);
    expect(isRunning(keeper)).toBe(false);
    expect(agentsOf(session)).toEqual([]);
  });
});

describe('daemon whose daemon.json is lost', () => {
  it('is found again', async () => {
    const machine = await startWith([]);
    const { pid, paths } = machine;
    const isFound = async () => (await findDaemon(machine.env))?.pid;
    rmSync(paths.record);
    await expect.poll(isFound, { timeout: 20_000 }).toBe(pid);
    writeFileSync(paths.record, '{"schema":');
    await expect.poll(isFound, { timeout: 20_000 }).toBe(pid);
    await machine.end();
    expect(existsSync(paths.record)).toBe(false);
  });
});

describe('agent defined while the daemon runs', () => {
  it('is available to the next session', async () => {
    const machine = await startWith([]);
    const { client, work } = machine;
    const create = () => client.sessions.create({ agent: 'late', cwd: work });
    await expect(create()).rejects.toMatchObject({ problem: 'UNKNOWN_AGENT' });
    machine.configure({}, { agents: [{ id: 'late', name: 'Late', profile: 'generic-job', job: { command: 'sh' } }] });
    expect(await create()).toMatchObject({ agent: 'late' });
  });
});
