import type { ActivityReport, Session } from '@agent-mux/api';
import { describe, expect, it } from 'vitest';
import { type Machine, useMachines } from './daemons.ts';
import { awaitSession, callHook, endTerminalAgent, manage, startTerminalAgent, withHooks } from './hooks.ts';

const machines = useMachines();

/** Fields that a report must not change. */
const fixed = ({ activity, isTerminated, parked, origin, title, turns, launch, error }: Session) => ({
  ...{ activity, isTerminated, parked, origin, title, turns, launch, error },
});

const STATES = ['active', 'idle', 'waiting_input', 'blocked', 'exited'] as const;

describe('POST /sessions/{id}/activity of a daemon session', () => {
  it('never changes the state of an ended, parked or running session', async () => {
    const { client, work, until } = await machines.start();
    const { id } = await client.sessions.create({ agent: 'demo', cwd: work, prompt: 'hello' });
    await until(id, ({ turns }) => turns === 1);
    const reportAll = async () => {
      const before = await client.sessions.get(id);
      for (const state of STATES)
        for (const timestamp of [1000, before.activitySince + 1, undefined]) {
          const report = { state, title: 'another', ...(timestamp === undefined ? {} : { timestamp }) };
          expect(fixed(await client.sessions.reportActivity(id, report))).toEqual(fixed(before));
        }
      const { metadata } = await client.sessions.get(id);
      expect(metadata).toMatchObject({ title: 'hello' });
    };
    await reportAll();
    await client.sessions.park(id);
    await until(id, ({ parked }) => parked);
    await reportAll();
    await client.sessions.stop(id);
    await reportAll();
    await client.sessions.restore(id);
    await client.sessions.send(id, { text: 'hello' });
    await until(id, ({ turns, activity }) => turns === 2 && activity === 'idle');
  });

  it('adds an unknown title, summary and agent session id, and refuses another conversation', async () => {
    const { client, work } = await machines.start();
    const { id } = await client.sessions.create({ agent: 'demo', cwd: work });
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4)}`.slice(0, 40);
    await client.sessions.reportActivity(id, {
      title: `Fix ${secret}\nplease`,
      summary: 'Fixed.',
      agentSessionId: 'n1',
    });
    const { title, summary, agentSessionId, metadata } = await client.sessions.get(id);
    expect({ summary, agentSessionId, metadata }).toMatchObject({
      ...{ summary: 'Fixed.', agentSessionId: 'n1' },
      metadata: { agentSessionId: 'n1', summary: 'Fixed.', title },
    });
    expect(title).toMatch(/^Fix /);
    expect(title).not.toContain(secret);
    await expect(client.sessions.reportActivity(id, { agentSessionId: 'n2', title: 'x' })).rejects.toMatchObject({
      problem: 'VALIDATION_ERROR',
    });
    const invalid = { state: 'spawning' } as unknown as ActivityReport;
    await expect(client.sessions.reportActivity(id, invalid)).rejects.toMatchObject({ problem: 'VALIDATION_ERROR' });
  });
});

describe('POST /sessions/{id}/activity of an unmanaged session', () => {
  const start = async (): Promise<{ machine: Machine; id: string }> => {
    const machine = await machines.start({}, withHooks());
    manage(machine);
    await callHook(machine, { event: 'Prompt', payload: { id: 'n1', prompt: 'first' } });
    const { id } = await awaitSession(machine, ({ agentSessionId }) => agentSessionId === 'n1');
    return { machine, id };
  };

  it('applies reports in the order of their calls, and each once', async () => {
    const { machine, id } = await start();
    const { client } = machine;
    const report = (options: ActivityReport) => client.sessions.reportActivity(id, options);
    const at = Date.now();
    expect(await report({ state: 'blocked', timestamp: at, deliveryId: 'd1' })).toMatchObject({ activity: 'blocked' });
    expect(await report({ state: 'idle', timestamp: at - 60_000 })).toMatchObject({ activity: 'blocked' });
    await callHook(machine, { event: 'Tool', payload: { id: 'n1' } });
    await machine.until(id, ({ activity }) => activity === 'active');
    expect(await report({ state: 'blocked', timestamp: at, deliveryId: 'd1' })).toMatchObject({ activity: 'active' });
    expect(await report({ state: 'idle', title: 'another', summary: 'done' })).toMatchObject({
      ...{ activity: 'idle', title: 'first', summary: 'done' },
    });
  });

  it('stays ended after late and new reports, until it is restored', async () => {
    const { machine, id } = await start();
    const { client } = machine;
    await callHook(machine, { event: 'End', payload: { id: 'n1' } });
    await machine.until(id, ({ isTerminated }) => isTerminated);
    for (const timestamp of [1000, Date.now(), undefined])
      expect(
        await client.sessions.reportActivity(id, { state: 'active', ...(timestamp ? { timestamp } : {}) }),
      ).toMatchObject({ activity: 'exited', isTerminated: true });
    expect(await client.sessions.restore(id)).toMatchObject({ isTerminated: false, origin: 'daemon' });
  });

  it('is not overwritten by stale data of the process check', async () => {
    const { machine, id } = await start();
    const other = startTerminalAgent(machine, { event: 'Prompt', payload: { id: 'n2' } });
    const watched = await awaitSession(machine, ({ agentSessionId }) => agentSessionId === 'n2');
    await machine.client.sessions.reportActivity(id, { state: 'blocked' });
    await endTerminalAgent(other);
    // Both are checked in one round.
    await machine.until(watched.id, ({ isTerminated }) => isTerminated);
    expect(await machine.client.sessions.get(id)).toMatchObject({ activity: 'blocked' });
  });
});
