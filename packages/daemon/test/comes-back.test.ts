import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Session } from '@agent-mux/api';
import { describe, expect, it } from 'vitest';
import { isDense, type Machine, useMachines } from './daemons.ts';
import { event, say, turnEnd } from './keepers.ts';

const machines = useMachines();
const ADAPTER = fileURLToPath(new URL('./fake-adapter.ts', import.meta.url));

/** Sets what the agent of this machine reports about itself from its next launch on. */
function setAgent({ env }: Machine, identity: { model: string; permissionMode: string }): void {
  const hello = [event({ type: 'session_start', sessionId: 'native-1', ...identity })];
  const steps = [{ do: 'live', hello, turns: [[say('got {{turn}}'), turnEnd]] }];
  const file = join(env.HOME ?? '', '.config', 'agent-mux', 'config.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ adapters: [{ from: ADAPTER, options: { steps } }] }));
}

async function startAndPark(machine: Machine): Promise<string> {
  const { client, work, until } = machine;
  setAgent(machine, { model: 'm-1', permissionMode: 'ask' });
  const { id } = await client.sessions.create({ agent: 'fake', cwd: work, prompt: 'one', messageId: 'm1' });
  await until(id, isDone);
  await park(machine, id);
  return id;
}

async function park({ client, until }: Machine, id: string): Promise<void> {
  await client.sessions.park(id);
  await until(id, ({ parked }) => parked);
}

function isDone({ activity, parked, queuedMessages }: Session): boolean {
  return activity === 'idle' && !parked && queuedMessages === 0;
}

describe('session whose agent reports another model or mode', () => {
  it('is stopped before its message is sent and continues only after a restore', async () => {
    const machine = await machines.start();
    const { client, until, events } = machine;
    const id = await startAndPark(machine);
    setAgent(machine, { model: 'm-2', permissionMode: 'ask' });
    await client.sessions.send(id, { id: 'm2', text: 'two' });
    const changed = await until(id, ({ isTerminated }) => isTerminated);
    expect(changed.error).toMatchObject({
      code: 'SESSION_CHANGED',
      message: expect.stringContaining('another model (m-2) than before (m-1)'),
      hint: expect.stringContaining('restore'),
    });
    const waiting = await client.sessions.messages(id);
    expect(waiting.map(({ state }) => state)).toEqual(['completed', 'queued']);

    await client.sessions.restore(id);
    await until(id, isDone);
    expect((await client.sessions.messages(id)).map(({ state }) => state)).toEqual(['completed', 'completed']);
    const all = await events(id);
    expect(isDense(all)).toBe(true);
    expect(all.flatMap((one) => (one.type === 'text_delta' ? one.delta : []))).toEqual(['got one', 'got two']);

    // The new model is expected from now on.
    await park(machine, id);
    await client.sessions.send(id, { id: 'm3', text: 'three' });
    expect(await until(id, isDone)).toMatchObject({ isTerminated: false, error: null });
  });

  it('continues if the user changed the model or mode, even in an earlier daemon', async () => {
    const machine = await machines.start();
    const { until } = machine;
    const id = await startAndPark(machine);
    await machine.kill();
    await machine.start();
    await machine.client.sessions.update(id, { model: 'm-3' });
    setAgent(machine, { model: 'm-3', permissionMode: 'ask' });
    await machine.client.sessions.send(id, { id: 'm2', text: 'two' });
    await until(id, isDone);
    await park(machine, id);
    setAgent(machine, { model: 'm-3', permissionMode: 'all' });
    await machine.client.sessions.send(id, { id: 'm3', text: 'three' });
    const changed = await until(id, ({ isTerminated }) => isTerminated);
    expect(changed.error?.message).toContain('another permission mode (all)');
  });
});
