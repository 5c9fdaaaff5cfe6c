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
const named = (nativeId: string) => (session: Session) => session.nativeId === nativeId;

describe('a session that somebody starts in a terminal of a hooked workspace', () => {
  it('appears with its title, its summary and what it does, and is marked as not held here', async () => {
    const machine = await start();
    const hook = (event: string, more: object = {}) => callHook(machine, { event, payload: { id: 'n1', ...more } });
    await hook('Start', { cwd: machine.work, model: 'large' });
    const begun = await awaitSession(machine, named('n1'));
    expect(begun).toMatchObject({ agent: 'fake', origin: 'hand', activity: 'idle', cwd: machine.work, parked: false });
    await hook('Prompt', { prompt: 'mend the roof\nand the door' });
    await machine.until(begun.id, ({ activity }) => activity === 'active');
    await hook('Ask');
    await machine.until(begun.id, ({ activity }) => activity === 'blocked');
    await hook('Tool');
    await machine.until(begun.id, ({ activity }) => activity === 'active');
    await hook('Stop', { answer: 'It is mended.' });
    const done = await machine.until(begun.id, ({ activity }) => activity === 'idle');
    expect(done).toMatchObject({
      title: 'mend the roof',
      summary: 'It is mended.',
      model: 'large',
      turns: 1,
      isTerminated: false,
      metadata: { agentSessionId: 'n1', title: 'mend the roof', summary: 'It is mended.' },
    });
    await hook('End');
    expect(await machine.until(begun.id, ({ activity }) => activity === 'exited')).toMatchObject({
      isTerminated: true,
      origin: 'hand',
    });
  });

  it('is left alone while its process lives; when that is gone it has ended, and goes on here by its own id', async () => {
    const machine = await start();
    const { client, work } = machine;
    const agent = startTerminalAgent(machine, { event: 'Prompt', payload: { id: 'n1', prompt: 'mend the roof' } });
    const { id } = await awaitSession(machine, named('n1'));
    const refused = { problem: 'SESSION_ELSEWHERE' };
    await expect(client.sessions.send(id, { text: 'hello' })).rejects.toMatchObject(refused);
    await expect(client.sessions.send(id, { text: 'hello' })).rejects.toThrow(`process ${agent.pid}`);
    await expect(client.sessions.restore(id)).rejects.toMatchObject(refused);
    await expect(client.sessions.fork(id)).rejects.toMatchObject(refused);
    await expect(client.sessions.interrupt(id)).rejects.toMatchObject(refused);
    await expect(client.sessions.park(id)).rejects.toMatchObject(refused);
    await expect(client.sessions.stop(id)).rejects.toMatchObject(refused);
    await expect(client.sessions.takeOver('fake', 'n1')).rejects.toMatchObject(refused);
    await expect(client.sessions.remove(id)).rejects.toMatchObject(refused);
    expect(await client.sessions.change(id, { pinned: true })).toMatchObject({ pinned: true, activity: 'active' });
    await endTerminalAgent(agent);
    expect(await client.sessions.restore(id)).toMatchObject({ origin: 'daemon', isTerminated: false, parked: true });
    await client.sessions.send(id, { text: 'hello' });
    const here = await machine.until(id, ({ activity, launch }) => launch === 1 && activity === 'idle');
    expect(here).toMatchObject({ nativeId: 'n1', cwd: work, origin: 'daemon', title: 'mend the roof' });
    expect(here.metadata).toMatchObject({ agentSessionId: 'n1', summary: 'hello from here' });
  });

  it('has ended when its process has, also without a word', async () => {
    const machine = await start();
    const agent = startTerminalAgent(machine, { event: 'Prompt', payload: { id: 'n1' } });
    const { id } = await awaitSession(machine, named('n1'));
    await endTerminalAgent(agent);
    expect(await machine.until(id, ({ activity }) => activity === 'exited')).toMatchObject({ isTerminated: true });
  });

  it('can be told to be over where nobody sees its process', async () => {
    const machine = await start();
    const call = { agent: 'fake', event: 'Prompt', cwd: machine.work, at: Date.now() };
    const unknown = { session: null, sessionBy: null, run: null, ppid: 1, ancestors: [] };
    writeReport(manage(machine), { ...call, ...unknown, input: { text: '{"id":"n1"}', cut: false } });
    const { id } = await awaitSession(machine, named('n1'));
    await expect(machine.client.sessions.send(id, { text: 'x' })).rejects.toThrow(
      'it is not known whether it has ended',
    );
    expect(await machine.client.sessions.stop(id)).toMatchObject({ activity: 'exited', isTerminated: true });
    expect(await machine.client.sessions.restore(id)).toMatchObject({ origin: 'daemon', isTerminated: false });
  });

  it('is gone on with in a terminal after it was one of the daemon, and nothing is sent to it meanwhile', async () => {
    const machine = await start();
    const { client, work } = machine;
    const { id } = await client.sessions.create({ agent: 'fake', cwd: work, prompt: 'hello' });
    const { nativeId } = await machine.until(id, ({ turns }) => turns === 1);
    await client.sessions.park(id);
    await machine.until(id, ({ parked }) => parked);
    await callHook(machine, { event: 'Prompt', payload: { id: nativeId, prompt: 'again' } });
    const elsewhere = await machine.until(id, ({ activity }) => activity === 'active');
    expect(elsewhere).toMatchObject({ origin: 'hand', parked: false, title: 'hello' });
    await expect(client.sessions.send(id, { text: 'x' })).rejects.toMatchObject({ problem: 'SESSION_ELSEWHERE' });
    await callHook(machine, { event: 'End', payload: { id: nativeId } });
    await machine.until(id, ({ isTerminated }) => isTerminated);
    expect((await client.sessions.list()).sessions).toHaveLength(1);
  });
});

describe('a session that a keeper holds', () => {
  it('gets what its stream has not told, and never another activity; its hooks know whose they are', async () => {
    const machine = await start();
    const { client, work } = machine;
    const { id } = await client.sessions.create({ agent: 'fake', cwd: work, prompt: 'hello' });
    const { nativeId, launch } = await machine.until(id, ({ turns }) => turns === 1);
    expect(await client.sessions.get(id)).toMatchObject({
      metadata: { agentSessionId: nativeId, title: 'hello', summary: 'hello from here' },
    });
    const env = { AGENT_MUX_SESSION_ID: id, AGENT_MUX_RUN_ID: `${id}-${launch}` };
    await callHook(machine, { event: 'Prompt', payload: { id: nativeId, prompt: 'another title' }, env });
    await callHook(machine, { event: 'End', payload: { id: nativeId }, env });
    // What comes behind them shows that both were taken.
    await callHook(machine, { event: 'Prompt', payload: { id: 'marker' } });
    await awaitSession(machine, named('marker'));
    const held = { activity: 'idle', isTerminated: false, origin: 'daemon', title: 'hello', turns: 1 };
    expect(await client.sessions.get(id)).toMatchObject(held);
    await client.sessions.park(id);
    await machine.until(id, ({ parked }) => parked);
    await callHook(machine, { event: 'End', payload: { id: nativeId }, env });
    await callHook(machine, { event: 'Tool', payload: { id: 'marker' } });
    await callHook(machine, { event: 'Stop', payload: { id: 'marker' } });
    await machine.until((await awaitSession(machine, named('marker'))).id, ({ activity }) => activity === 'idle');
    expect(await client.sessions.get(id)).toMatchObject({ ...held, parked: true });
  });

  it('is not mixed up with agents that are started below it, of its own kind or of another', async () => {
    const machine = await start();
    const { client, work } = machine;
    const { id } = await client.sessions.create({ agent: 'fake', cwd: work, prompt: 'hello' });
    await machine.until(id, ({ turns }) => turns === 1);
    const env = { AGENT_MUX_SESSION_ID: id, AGENT_MUX_RUN_ID: `${id}-1` };
    await callHook(machine, { agent: 'other', event: 'Prompt', payload: { id: 'o1', prompt: 'nested' }, env });
    await callHook(machine, { event: 'Prompt', payload: { id: 'f2', prompt: 'nested too' }, env });
    expect(await awaitSession(machine, named('o1'))).toMatchObject({
      agent: 'other',
      origin: 'hand',
      activity: 'active',
      metadata: { startedIn: id },
    });
    expect(await awaitSession(machine, named('f2'))).toMatchObject({ agent: 'fake', origin: 'hand' });
    expect(await client.sessions.get(id)).toMatchObject({ activity: 'idle', title: 'hello' });
  });

  it('knows its hooks also where the agent calls them in the scratch folder of the run, where its plugin is', async () => {
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

  it('gives its agent its id', async () => {
    const machine = await machines.start({}, withHooks([{ do: 'live', turns: [[{ do: 'describe' }]] }]));
    const { client, work } = machine;
    const { id } = await client.sessions.create({ agent: 'fake', cwd: work, prompt: 'hello' });
    const seen = await machine.until(id, ({ launch, keeperPid }) => launch === 1 && keeperPid !== null);
    const [agent] = machine.agentsOf(seen);
    expect(readFileSync(`/proc/${agent}/environ`, 'utf8')).toContain(`AGENT_MUX_SESSION_ID=${id}\0`);
  });
});

describe('reports', () => {
  it('wait while there is no daemon, and are taken in order when there is one', async () => {
    const machine = await start();
    await machine.end();
    for (const [event, more] of [
      ['Start', {}],
      ['Prompt', { prompt: 'first' }],
      ['Stop', { answer: 'one' }],
      ['Prompt', { prompt: 'second' }],
    ] as const)
      await callHook(machine, { event, payload: { id: 'n1', ...more } });
    const places = manage(machine);
    expect(readdirSync(places.spool)).toHaveLength(4);
    await machine.start();
    const session = await awaitSession(machine, named('n1'));
    expect(await machine.until(session.id, ({ turns }) => turns === 2)).toMatchObject({
      title: 'first',
      summary: 'one',
      activity: 'active',
    });
    await expect.poll(() => readdirSync(places.spool)).toEqual([]);
  });

  it('are readable for their owner alone', async () => {
    const machine = await start();
    await machine.end();
    const places = manage(machine);
    await callHook(machine, { event: 'Start', payload: { id: 'n1' } });
    const [file = ''] = readdirSync(places.spool);
    const modeOf = (path: string) => statSync(path).mode & 0o777;
    expect([places.root, places.spool, places.unfinished].map(modeOf)).toEqual([0o700, 0o700, 0o700]);
    expect(modeOf(join(places.spool, file))).toBe(0o600);
    expect(readdirSync(places.unfinished)).toEqual([]);
  });

  it('are not made in a workspace that is not managed', async () => {
    const machine = await start();
    const elsewhere = join(machine.root, 'elsewhere');
    mkdirSync(elsewhere);
    await machine.end();
    const places = manage(machine);
    await callHook(machine, { event: 'Start', payload: { id: 'n1' }, cwd: elsewhere });
    await callHook(machine, { agent: 'third', event: 'Start', payload: { id: 'n1' } });
    expect(readdirSync(places.spool)).toEqual([]);
    expect(existsSync(places.log)).toBe(false);
    // A run that asked for them reports from any folder.
    const ofRun = { work: machine.work, env: { ...machine.env, AGENT_MUX_HOOKS: 'run' } };
    await callHook(ofRun, { event: 'Start', payload: { id: 'n0' }, cwd: elsewhere });
    expect(readdirSync(places.spool)).toHaveLength(1);
    rmSync(join(places.spool, readdirSync(places.spool)[0]!));
    mkdirSync(join(machine.work, 'below'));
    await callHook(machine, { event: 'Start', payload: { id: 'n1' }, cwd: join(machine.work, 'below') });
    expect(readdirSync(places.spool)).toHaveLength(1);
  });
});
