import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Session } from '@agent-mux/api';
import { describe, expect, it } from 'vitest';
import type { ConversationOptions } from './conversation-adapter.ts';
import { type Machine, useMachines } from './daemons.ts';

const machines = useMachines();
const FROM = fileURLToPath(new URL('./conversation-adapter.ts', import.meta.url));

/** Agents whose conversation ends with their process. */
const MEMORY: ConversationOptions = { agent: 'memory', process: 'stays', conversation: 'process' };
const SHARED_MEMORY: ConversationOptions = { agent: 'memory-shared', process: 'shares', conversation: 'process' };
const PRINT: ConversationOptions = { agent: 'print', process: 'once', conversation: 'process' };
const JOB = { id: 'job', name: 'Job', profile: 'generic-job', job: { command: 'sh' } };

async function startWith(agents: readonly ConversationOptions[], daemon = {}): Promise<Machine> {
  const adapters = agents.map((options) => ({ from: FROM, options }));
  return machines.start(daemon, { adapters, agents: [JOB] });
}

async function start({ client, until, work }: Machine, agent: string): Promise<string> {
  const { id } = await client.sessions.create({ agent, cwd: work, prompt: 'one', messageId: 'm1' });
  await until(id, isIdle);
  return id;
}

function isIdle({ activity, queuedMessages }: Session): boolean {
  return (activity === 'idle' || activity === 'exited') && queuedMessages === 0;
}

/** All messages that reached an agent of this machine. */
function received({ env }: Machine): string[] {
  return readFileSync(join(env.HOME ?? '', '.conversations', 'received'), 'utf8')
    .trim()
    .split('\n');
}

async function answers({ events }: Machine, id: string): Promise<string[]> {
  return (await events(id)).flatMap((one) => (one.type === 'text_delta' ? one.delta.trim() : []));
}

const newSession = ({ work }: Machine, agent: string) => ({
  hint: expect.stringContaining(`amux new -a ${agent} -C ${work} `),
});

describe('conversation that cannot be resumed', () => {
  it('ends with its only turn and accepts no further message', async () => {
    const machine = await startWith([PRINT]);
    const { client } = machine;
    const id = await start(machine, 'print');
    const ended = await machine.until(id, ({ isTerminated }) => isTerminated);
    expect(ended).toMatchObject({ activity: 'exited', parked: false, error: null });
    const hint = newSession(machine, 'print');
    const refused = async (call: Promise<unknown>, problem: string) =>
      expect(call).rejects.toMatchObject({ problem, ...hint });
    await refused(client.sessions.send(id, { text: 'two' }), 'SESSION_ENDED');
    await refused(client.sessions.park(id), 'SESSION_ENDED');
    await refused(client.sessions.restore(id), 'NO_AGENT_SESSION');
    expect(received(machine)).toEqual(['one']);
  });

  it('refuses a second message while its only turn runs', async () => {
    const machine = await startWith([PRINT]);
    const { client, work } = machine;
    const { id } = await client.sessions.create({ agent: 'print', cwd: work, prompt: 'hang' });
    const refusal = {
      problem: expect.stringMatching(/NO_AGENT_SESSION|SESSION_ENDED/),
      ...newSession(machine, 'print'),
    };
    await expect(client.sessions.send(id, { text: 'two' })).rejects.toMatchObject(refusal);
  });

  for (const options of [MEMORY, SHARED_MEMORY]) {
    it(`accepts further turns while its process lives and is never parked (${options.agent})`, async () => {
      const machine = await startWith([options, { agent: 'stays', process: 'stays', conversation: 'resumable' }], {
        parkAfter: '300ms',
      });
      const { client, until } = machine;
      const id = await start(machine, options.agent);
      await expect(client.sessions.park(id)).rejects.toMatchObject({
        problem: 'NO_AGENT_SESSION',
        hint: expect.stringContaining(`amux stop ${id}`),
      });
      // By now, the idle time of a session that was created later has passed, too.
      const other = await start(machine, 'stays');
      await until(other, ({ parked }) => parked);
      expect(await client.sessions.get(id)).toMatchObject({ parked: false, isTerminated: false });
      await client.sessions.send(id, { text: 'two' });
      await until(id, ({ turns }) => turns === 2);
      expect(await answers(machine, id)).toEqual(['one', 'one|two']);

      await client.sessions.stop(id);
      const refusal = { problem: 'NO_AGENT_SESSION', ...newSession(machine, options.agent) };
      await expect(client.sessions.restore(id)).rejects.toMatchObject(refusal);
    });
  }

  it('ends with a process that ignored an interrupt, and fails queued messages at once', async () => {
    const machine = await startWith([MEMORY]);
    const { client, until } = machine;
    const id = await start(machine, 'memory');
    await client.sessions.send(id, { id: 'm2', text: 'hang' });
    await until(id, ({ activity }) => activity === 'active');
    await expect.poll(() => received(machine), { timeout: 20_000 }).toEqual(['one', 'hang']);
    await client.sessions.send(id, { id: 'm3', text: 'later' });
    await client.sessions.interrupt(id).catch(() => {});
    expect(await until(id, ({ isTerminated }) => isTerminated)).toMatchObject({ parked: false });
    const state = async () => (await client.sessions.messages(id)).find((one) => one.id === 'm3');
    await expect.poll(state, { timeout: 20_000 }).toMatchObject({
      state: 'failed',
      error: { code: 'NO_AGENT_SESSION', ...newSession(machine, 'memory') },
    });
    expect(received(machine)).toEqual(['one', 'hang']);
  });

  it('does not suggest restore after its keeper was killed', async () => {
    const machine = await startWith([MEMORY]);
    const { client, until, keeperOf } = machine;
    const id = await start(machine, 'memory');
    process.kill(keeperOf(id)?.pid ?? 0, 'SIGKILL');
    const lost = await until(id, ({ isTerminated }) => isTerminated);
    expect(lost.error?.code).toBe('KEEPER_LOST');
    expect(lost.error?.hint).toBeUndefined();
    const refusal = { problem: 'SESSION_ENDED', ...newSession(machine, 'memory') };
    await expect(client.sessions.send(id, { text: 'two' })).rejects.toMatchObject(refusal);
  });
});

describe('job session', () => {
  it('stays usable after a failed job, after stop and restore, and after park', async () => {
    const machine = await startWith([]);
    const { client, until, work } = machine;
    const { id } = await client.sessions.create({ agent: 'job', cwd: work, prompt: 'echo a; exit 7', messageId: 'm1' });
    const isDone = ({ activity, turns, queuedMessages }: Session) =>
      activity !== 'active' && activity !== 'spawning' && queuedMessages === 0 && turns > 0;
    const failed = await until(id, (session) => isDone(session) && session.error !== null);
    expect(failed).toMatchObject({ isTerminated: false, activity: 'idle', error: { code: 'AGENT_ERROR' } });
    const run = async (text: string, answer: string) => {
      await client.sessions.send(id, { text });
      await expect.poll(() => answers(machine, id).then((all) => all.at(-1)), { timeout: 40_000 }).toBe(answer);
      await until(id, isDone);
    };
    await run('echo b', 'b');
    await client.sessions.stop(id);
    await expect(client.sessions.send(id, { text: 'echo c' })).rejects.toMatchObject({
      problem: 'SESSION_ENDED',
      hint: expect.stringContaining(`amux restore ${id}`),
    });
    await client.sessions.restore(id);
    await run('echo c', 'c');
    await client.sessions.park(id);
    await run('echo d', 'd');
  });
});
