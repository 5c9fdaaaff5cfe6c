import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@agent-mux/api';
import { describe, expect, it } from 'vitest';
import { writeReport } from '../src/hooks/report.ts';
import { type HookDelivery, type HookPaths, REPORT_BYTES } from '../src/hooks/spool.ts';
import { type Machine, useMachines } from './daemons.ts';
import { awaitSession, callHook, manage, withHooks } from './hooks.ts';

const machines = useMachines();
const PATIENT = { timeout: 150_000, interval: 100 };

async function start(): Promise<{ machine: Machine; paths: HookPaths }> {
  const machine = await machines.start({}, withHooks());
  return { machine, paths: manage(machine) };
}

let clock = Date.now() - 600_000;

/** Writes a report as a reporter would, without the process. */
function writeCall(
  paths: HookPaths,
  { work }: Machine,
  event: string,
  payload: unknown,
  options: Partial<HookDelivery> = {},
) {
  clock += 0.25;
  const unknown = { session: null, sessionBy: null, run: null, ppid: 1, ancestors: [] };
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const call = { agent: 'fake', event, cwd: work, at: clock, ...unknown, ...options };
  return writeReport(paths, { ...call, input: { text, cut: options.cut ?? false } });
}

const named = (agentSessionId: string) => (session: Session) => session.agentSessionId === agentSessionId;
const isEmpty = (paths: HookPaths) => expect.poll(() => readdirSync(paths.spool).length, PATIENT).toBe(0);

describe('flood of reports', () => {
  it('loses none of ten thousand, with and without a daemon', async () => {
    const { machine, paths } = await start();
    // Each prompt is a turn, so lost or duplicate reports show in their number.
    const flood = (from: number, to: number) => {
      for (let at = from; at < to; at += 1)
        writeCall(paths, machine, 'Prompt', { id: `n${at % 10}`, prompt: `p${at}` });
    };
    flood(0, 3000);
    const real = Array.from({ length: 20 }, (_, at) =>
      callHook(machine, { event: 'Prompt', payload: { id: `n${at % 10}`, prompt: 'real' } }),
    );
    flood(3000, 6000);
    await Promise.all(real);
    await machine.end();
    flood(6000, 10_000);
    await machine.start();
    await isEmpty(paths);
    const { sessions } = await machine.client.sessions.list({ limit: 500 });
    expect(sessions.map(({ turns }) => turns)).toEqual(Array.from({ length: 10 }, () => 1002));
    expect(readdirSync(paths.aside)).toEqual([]);
    const first = sessions.find(named('n0'));
    expect(first).toMatchObject({ title: 'p0', activity: 'active', metadata: { title: 'p0', agentSessionId: 'n0' } });
  }, 400_000);

  it('is counted once by daemons that are killed in the middle', async () => {
    const { machine, paths } = await start();
    await machine.end();
    for (let at = 0; at < 1500; at += 1) writeCall(paths, machine, 'Prompt', { id: 'n1', prompt: `p${at}` });
    for (const left of [1300, 1000, 600]) {
      await machine.start();
      await expect.poll(() => readdirSync(paths.spool).length, { ...PATIENT, interval: 5 }).toBeLessThan(left);
      await machine.kill();
    }
    await machine.start();
    await isEmpty(paths);
    expect(await awaitSession(machine, named('n1'))).toMatchObject({ turns: 1500, title: 'p0' });
  }, 400_000);

  it('ignores a report that is delivered again', async () => {
    const { machine, paths } = await start();
    await machine.end();
    const id = writeCall(paths, machine, 'Prompt', { id: 'n1', prompt: 'once' });
    const file = join(paths.spool, `${id}.json`);
    const text = readFileSync(file);
    for (let round = 0; round < 3; round += 1) {
      writeFileSync(file, text);
      await machine.start();
      await isEmpty(paths);
      await machine.end();
    }
    await machine.start();
    expect(await awaitSession(machine, named('n1'))).toMatchObject({ turns: 1 });
  });
});

describe('hostile reports', () => {
  it('are set aside or ignored, logged, and block nothing', async () => {
    const { machine, paths } = await start();
    const { client, work } = machine;
    const held = await client.sessions.create({ agent: 'fake', cwd: work, prompt: 'hello' });
    const { agentSessionId } = await machine.until(held.id, ({ turns }) => turns === 1);
    const outside = join(machine.root, 'outside');
    mkdirSync(outside);
    const before = await client.sessions.get(held.id);
    await machine.end();
    const put = (name: string, content: string | Buffer) => writeFileSync(join(paths.spool, name), content);
    put('0-text.json', 'not a report');
    put('0-torn.json', '{"v":1,"id":"x","agent":"fa');
    put('0-types.json', JSON.stringify({ v: 1, id: 7, agent: ['fake'], event: {}, payload: 3 }));
    put('0-newer.json', JSON.stringify({ v: 2, id: 'x' }));
    put('0-empty.json', '');
    put('0-large.json', Buffer.alloc(REPORT_BYTES + 1024 * 1024, 'x'));
    mkdirSync(join(paths.spool, '0-folder.json'));
    symlinkSync('/dev/zero', join(paths.spool, '0-link.json'));
    writeCall(paths, machine, 'Prompt', { id: 'x' }, { agent: 'missing' });
    writeCall(paths, machine, 'Throw', { id: 'x' });
    const odd = [{ id: 7, cwd: 'relative', prompt: {}, model: 'a\nb' }, { id: 'x'.repeat(1000) }, [], null, 'no json'];
    for (const payload of odd) writeCall(paths, machine, 'Stop', payload, { cwd: outside });
    // The id of a session or conversation in another workspace or of another agent.
    const argument = { session: held.id, sessionBy: 'argument' } as const;
    writeCall(paths, machine, 'End', {}, { ...argument, cwd: outside });
    writeCall(paths, machine, 'End', { cwd: work }, { ...argument, cwd: outside });
    writeCall(paths, machine, 'End', {}, { ...argument, agent: 'other' });
    writeCall(paths, machine, 'End', {}, { session: 'nosuchsession', sessionBy: 'argument' });
    writeCall(paths, machine, 'Prompt', { id: agentSessionId, cwd: work }, { cwd: outside, at: Date.now() });
    writeCall(paths, machine, 'Prompt', `{"id": "cut", "prompt": "${'long '.repeat(100)}`, { cut: true });
    writeCall(paths, machine, 'Prompt', {
      id: 'secret',
      prompt: 'use API_KEY=sk-ant-api03-0123456789abcdefghijkl please',
    });
    writeCall(paths, machine, 'Prompt', { id: 'last', prompt: '\u001b[31mred\u0007 and\ttabs' });
    await machine.start();
    expect(await awaitSession(machine, named('last'))).toMatchObject({ title: 'red and tabs' });
    await isEmpty(paths);
    expect(await machine.client.sessions.get(held.id)).toMatchObject({
      ...{ activity: before.activity, isTerminated: false, origin: 'daemon', title: 'hello', turns: 1 },
    });
    expect((await awaitSession(machine, named('cut'))).title).toMatch(/^long long/);
    expect((await awaitSession(machine, named('secret'))).title).toBe('use API_KEY=[redacted] please');
    // Reports without an id belong to one session: the same agent in the same folder.
    expect(await awaitSession(machine, ({ cwd }) => cwd === outside)).toMatchObject({
      agentSessionId: null,
      title: null,
    });
    expect(readdirSync(paths.aside).filter((name) => name.startsWith('0-'))).toHaveLength(8);
    // Plus one of an unknown agent. If an adapter's `read` throws, the guard handles it.
    expect(readdirSync(paths.aside)).toHaveLength(9);
    const log = machine.log();
    expect(log).toContain(`refused: the report names session ${held.id}, which does not work in ${outside}`);
    expect(log).toContain(`refused: the report names session ${held.id}, which belongs to agent fake`);
    expect(log).toContain('refused: the report names the conversation of session');
    expect(log).toContain('session nosuchsession not found');
  });

  it('create a limited number of sessions and files set aside', async () => {
    const { machine, paths } = await start();
    await machine.end();
    for (let at = 0; at < 600; at += 1) writeCall(paths, machine, 'Prompt', { id: `n${at}` });
    for (let at = 0; at < 300; at += 1) writeFileSync(join(paths.spool, `0-${at}.json`), 'x');
    await machine.start();
    await isEmpty(paths);
    expect((await machine.client.sessions.list({ limit: 500 })).nextCursor).toBeNull();
    expect(readdirSync(paths.aside).length).toBeLessThanOrEqual(100);
    expect(machine.log()).toContain('more problems like these');
  });
});
