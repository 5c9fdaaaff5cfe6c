import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@agent-mux/api';
import { describe, expect, it } from 'vitest';
import { writeReport } from '../src/hooks/report.ts';
import { type Machine, useMachines } from './daemons.ts';
import { awaitSession, callHook, endTerminalAgent, manage, startTerminalAgent, withHooks } from './hooks.ts';

const machines = useMachines();

const start = async (): Promise<Machine> => {
  const machine = await machines.start({}, withHooks());
  manage(machine);
  return machine;
};
const named = (agentSessionId: string) => (session: Session) => session.agentSessionId === agentSessionId;

describe('unmanaged session in a hooked workspace', () => {
  it('appears with its title, summary and activity, marked as unmanaged', async () => {
    const machine = await start();
    const hook = (event: string, more: object = {}) => callHook(machine, { event, payload: { id: 'n1', ...more } });
    await hook('Start', { cwd: machine.work, model: 'large' });
    const started = await awaitSession(machine, named('n1'));
    expect(started).toMatchObject({
      agent: 'fake',
      origin: 'unmanaged',
      activity: 'idle',
      cwd: machine.work,
      parked: false,
    });
    await hook('Prompt', { prompt: 'fix the roof\nand the door' });
    await machine.until(started.id, ({ activity }) => activity === 'active');
    await hook('Ask');
    await machine.until(started.id, ({ activity }) => activity === 'blocked');
    await hook('Tool');
    await machine.until(started.id, ({ activity }) => activity === 'active');
    await hook('Stop', { answer: 'It is fixed.' });
    const done = await machine.until(started.id, ({ activity }) => activity === 'idle');
    expect(done).toMatchObject({
      title: 'fix the roof',
      summary: 'It is fixed.',
      model: 'large',
      turns: 1,
      isTerminated: false,
      metadata: { agentSessionId: 'n1', title: 'fix the roof', summary: 'It is fixed.' },
    });
    await hook('End');
    expect(await machine.until(started.id, ({ activity }) => activity === 'exited')).toMatchObject({
      isTerminated: true,
      origin: 'unmanaged',
    });
  });

  it('is protected while its process lives and can be restored by its id afterwards', async () => {
    const machine = await start();
    const { client, work } = machine;
    const agent = startTerminalAgent(machine, { event: 'Prompt', payload: { id: 'n1', prompt: 'fix the roof' } });
    const { id } = await awaitSession(machine, named('n1'));
    const refused = { problem: 'SESSION_IN_TERMINAL' };
    await expect(client.sessions.send(id, { text: 'hello' })).rejects.toMatchObject(refused);
    await expect(client.sessions.send(id, { text: 'hello' })).rejects.toThrow(`process ${agent.pid}`);
    await expect(client.sessions.restore(id)).rejects.toMatchObject(refused);
    await expect(client.sessions.fork(id)).rejects.toMatchObject(refused);
    await expect(client.sessions.interrupt(id)).rejects.toMatchObject(refused);
    await expect(client.sessions.park(id)).rejects.toMatchObject(refused);
    await expect(client.sessions.stop(id)).rejects.toMatchObject(refused);
    await expect(client.sessions.importStored('fake', 'n1')).rejects.toMatchObject(refused);
    await expect(client.sessions.remove(id)).rejects.toMatchObject(refused);
    expect(await client.sessions.update(id, { pinned: true })).toMatchObject({ pinned: true, activity: 'active' });
    await endTerminalAgent(agent);
    expect(await client.sessions.restore(id)).toMatchObject({ origin: 'daemon', isTerminated: false, parked: true });
    await client.sessions.send(id, { text: 'hello' });
    const here = await machine.until(id, ({ activity, launch }) => launch === 1 && activity === 'idle');
    expect(here).toMatchObject({ agentSessionId: 'n1', cwd: work, origin: 'daemon', title: 'fix the roof' });
    expect(here.metadata).toMatchObject({ agentSessionId: 'n1', summary: 'hello from here' });
  });

  it('ends when its process exits without a report', async () => {
    const machine = await start();
    const agent = startTerminalAgent(machine, { event: 'Prompt', payload: { id: 'n1' } });
    const { id } = await awaitSession(machine, named('n1'));
    await endTerminalAgent(agent);
    expect(await machine.until(id, ({ activity }) => activity === 'exited')).toMatchObject({ isTerminated: true });
  });

  it('can be stopped if its process is unknown', async () => {
    const machine = await start();
    const call = { agent: 'fake', event: 'Prompt', cwd: machine.work, at: Date.now() };
    const unknown = { session: null, sessionBy: null, run: null, ppid: 1, ancestors: [] };
    writeReport(manage(machine), { ...call, ...unknown, input: { text: '{"id":"n1"}', cut: false } });
    const { id } = await awaitSession(machine, named('n1'));
    await expect(machine.client.sessions.send(id, { text: 'x' })).rejects.toThrow('may still be running there');
    expect(await machine.client.sessions.stop(id)).toMatchObject({ activity: 'exited', isTerminated: true });
    expect(await machine.client.sessions.restore(id)).toMatchObject({ origin: 'daemon', isTerminated: false });
  });

  it('takes over a daemon session that is resumed in a terminal', async () => {
    const machine = await start();
    const { client, work } = machine;
    const { id } = await client.sessions.create({ agent: 'fake', cwd: work, prompt: 'hello' });
    const { agentSessionId } = await machine.until(id, ({ turns }) => turns === 1);
    await client.sessions.park(id);
    await machine.until(id, ({ parked }) => parked);
    await callHook(machine, { event: 'Prompt', payload: { id: agentSessionId, prompt: 'again' } });
    const resumed = await machine.until(id, ({ activity }) => activity === 'active');
    expect(resumed).toMatchObject({ origin: 'unmanaged', parked: false, title: 'hello' });
    await expect(client.sessions.send(id, { text: 'x' })).rejects.toMatchObject({ problem: 'SESSION_IN_TERMINAL' });
    await callHook(machine, { event: 'End', payload: { id: agentSessionId } });
    await machine.until(id, ({ isTerminated }) => isTerminated);
    expect((await client.sessions.list()).sessions).toHaveLength(1);
  });
});

describe('session held by a keeper', () => {
  it('adds missing facts from its hooks but never changes its activity', async () => {
    const machine = await start();
    const { client, work } = machine;
    const { id } = await client.sessions.create({ agent: 'fake', cwd: work, prompt: 'hello' });
    const { agentSessionId, launch } = await machine.until(id, ({ turns }) => turns === 1);
    expect(await client.sessions.get(id)).toMatchObject({
      metadata: { agentSessionId: agentSessionId, title: 'hello', summary: 'hello from here' },
    });
    const env = { AGENT_MUX_SESSION_ID: id, AGENT_MUX_RUN_ID: `${id}-${launch}` };
    await callHook(machine, { event: 'Prompt', payload: { id: agentSessionId, prompt: 'another title' }, env });
    await callHook(machine, { event: 'End', payload: { id: agentSessionId }, env });
    // The next report shows that both were processed.
    await callHook(machine, { event: 'Prompt', payload: { id: 'marker' } });
    await awaitSession(machine, named('marker'));
    const held = { activity: 'idle', isTerminated: false, origin: 'daemon', title: 'hello', turns: 1 };
    expect(await client.sessions.get(id)).toMatchObject(held);
    await client.sessions.park(id);
    await machine.until(id, ({ parked }) => parked);
    await callHook(machine, { event: 'End', payload: { id: agentSessionId }, env });
    await callHook(machine, { event: 'Tool', payload: { id: 'marker' } });
    await callHook(machine, { event: 'Stop', payload: { id: 'marker' } });
    await machine.until((await awaitSession(machine, named('marker'))).id, ({ activity }) => activity === 'idle');
    expect(await client.sessions.get(id)).toMatchObject({ ...held, parked: true });
  });

  it('is not confused with nested agents', async () => {
    const machine = await start();
    const { client, work } = machine;
    const { id } = await client.sessions.create({ agent: 'fake', cwd: work, prompt: 'hello' });
    await machine.until(id, ({ turns }) => turns === 1);
    const env = { AGENT_MUX_SESSION_ID: id, AGENT_MUX_RUN_ID: `${id}-1` };
    await callHook(machine, { agent: 'other', event: 'Prompt', payload: { id: 'o1', prompt: 'nested' }, env });
    await callHook(machine, { event: 'Prompt', payload: { id: 'f2', prompt: 'nested too' }, env });
    expect(await awaitSession(machine, named('o1'))).toMatchObject({
      agent: 'other',
      origin: 'unmanaged',
      activity: 'active',
      metadata: { startedIn: id },
    });
    expect(await awaitSession(machine, named('f2'))).toMatchObject({ agent: 'fake', origin: 'unmanaged' });
    expect(await client.sessions.get(id)).toMatchObject({ activity: 'idle', title: 'hello' });
  });

  it('accepts hooks that the agent calls in the scratch folder of the run', async () => {
    const machine = await start();
    const { client, work, root } = machine;
    const { id } = await client.sessions.create({ agent: 'fake', cwd: work });
    const cwd = join(root, `agent-mux-${'0123456789abcdef'.repeat(2)}`, 'plugin');
    mkdirSync(cwd, { recursive: true });
    const env = { AGENT_MUX_SESSION_ID: id };
    await callHook(machine, { event: 'Prompt', payload: { id: 'n7', cwd: work, prompt: 'from a plugin' }, env, cwd });
    expect(await awaitSession(machine, named('n7'))).toMatchObject({ id, cwd: work });
    expect((await client.sessions.list()).sessions).toHaveLength(1);
  });

  it('passes its id to the agent', async () => {
    const machine = await machines.start({}, withHooks([{ do: 'live', turns: [[{ do: 'describe' }]] }]));
    const { client, work } = machine;
    const { id } = await client.sessions.create({ agent: 'fake', cwd: work, prompt: 'hello' });
    const seen = await machine.until(id, ({ launch, keeperPid }) => launch === 1 && keeperPid !== null);
    const [agent] = machine.agentsOf(seen);
    expect(readFileSync(`/proc/${agent}/environ`, 'utf8')).toContain(`AGENT_MUX_SESSION_ID=${id}\0`);
  });
});

describe('reports', () => {
  it('wait without a daemon and are processed in order later', async () => {
    const machine = await start();
    await machine.end();
    for (const [event, more] of [
      ['Start', {}],
      ['Prompt', { prompt: 'first' }],
      ['Stop', { answer: 'one' }],
      ['Prompt', { prompt: 'second' }],
    ] as const)
      await callHook(machine, { event, payload: { id: 'n1', ...more } });
    const paths = manage(machine);
    expect(readdirSync(paths.spool)).toHaveLength(4);
    await machine.start();
    const session = await awaitSession(machine, named('n1'));
    expect(await machine.until(session.id, ({ turns }) => turns === 2)).toMatchObject({
      title: 'first',
      summary: 'one',
      activity: 'active',
    });
    await expect.poll(() => readdirSync(paths.spool)).toEqual([]);
  });

  it('are readable only by their owner', async () => {
    const machine = await start();
    await machine.end();
    const paths = manage(machine);
    await callHook(machine, { event: 'Start', payload: { id: 'n1' } });
    const [file = ''] = readdirSync(paths.spool);
    const modeOf = (path: string) => statSync(path).mode & 0o777;
    expect([paths.root, paths.spool, paths.unfinished].map(modeOf)).toEqual([0o700, 0o700, 0o700]);
    expect(modeOf(join(paths.spool, file))).toBe(0o600);
    expect(readdirSync(paths.unfinished)).toEqual([]);
  });

  it('are not written in an unmanaged workspace', async () => {
    const machine = await start();
    const outside = join(machine.root, 'outside');
    mkdirSync(outside);
    await machine.end();
    const paths = manage(machine);
    await callHook(machine, { event: 'Start', payload: { id: 'n1' }, cwd: outside });
    await callHook(machine, { agent: 'third', event: 'Start', payload: { id: 'n1' } });
    expect(readdirSync(paths.spool)).toEqual([]);
    expect(existsSync(paths.log)).toBe(false);
    // A run that requested hooks reports from any folder.
    const ofRun = { work: machine.work, env: { ...machine.env, AGENT_MUX_HOOKS: 'run' } };
    await callHook(ofRun, { event: 'Start', payload: { id: 'n0' }, cwd: outside });
    expect(readdirSync(paths.spool)).toHaveLength(1);
    rmSync(join(paths.spool, readdirSync(paths.spool)[0]!));
    mkdirSync(join(machine.work, 'below'));
    await callHook(machine, { event: 'Start', payload: { id: 'n1' }, cwd: join(machine.work, 'below') });
    expect(readdirSync(paths.spool)).toHaveLength(1);
  });
});
