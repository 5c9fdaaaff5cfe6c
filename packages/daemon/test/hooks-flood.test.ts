import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@agent-mux/api';
import { describe, expect, it } from 'vitest';
import { writeReport } from '../src/hooks/report.ts';
import { type Delivery, type HookPlaces, REPORT_BYTES } from '../src/hooks/spool.ts';
import { type Machine, useMachines } from './daemons.ts';
import { awaitSession, callHook, manage, withHooks } from './hooks.ts';

const machines = useMachines();
const PATIENT = { timeout: 150_000, interval: 100 };

async function start(): Promise<{ machine: Machine; places: HookPlaces }> {
  const machine = await machines.start({}, withHooks());
  return { machine, places: manage(machine) };
}

let clock = Date.now() - 600_000;

/** As a reporter would leave it, without the process. */
function leave(places: HookPlaces, { work }: Machine, event: string, payload: unknown, given: Partial<Delivery> = {}) {
  clock += 0.25;
  const unknown = { session: null, sessionBy: null, run: null, ppid: 1, ancestors: [] };
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const call = { agent: 'fake', event, cwd: work, at: clock, ...unknown, ...given };
  return writeReport(places, { ...call, input: { text, cut: given.cut ?? false } });
}

const named = (nativeId: string) => (session: Session) => session.nativeId === nativeId;
const isEmpty = (places: HookPlaces) => expect.poll(() => readdirSync(places.spool).length, PATIENT).toBe(0);

describe('a flood of reports', () => {
  it('loses none of ten thousand, with and without a daemon, and holds up nobody else', async () => {
    const { machine, places } = await start();
    // Each prompt is a turn: what is lost or counted twice is seen in their number.
    const flood = (from: number, to: number) => {
      for (let at = from; at < to; at += 1) leave(places, machine, 'Prompt', { id: `n${at % 10}`, prompt: `p${at}` });
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
    await isEmpty(places);
    const { sessions } = await machine.client.sessions.list({ limit: 500 });
    expect(sessions.map(({ turns }) => turns)).toEqual(Array.from({ length: 10 }, () => 1002));
    expect(readdirSync(places.aside)).toEqual([]);
    const first = sessions.find(named('n0'));
    expect(first).toMatchObject({ title: 'p0', activity: 'active', metadata: { title: 'p0', agentSessionId: 'n0' } });
  }, 400_000);

  it('is counted once by daemons that are killed with -9 in the middle of it', async () => {
    const { machine, places } = await start();
    await machine.end();
    for (let at = 0; at < 1500; at += 1) leave(places, machine, 'Prompt', { id: 'n1', prompt: `p${at}` });
    for (const left of [1300, 1000, 600]) {
      await machine.start();
      await expect.poll(() => readdirSync(places.spool).length, { ...PATIENT, interval: 5 }).toBeLessThan(left);
      await machine.kill();
    }
    await machine.start();
    await isEmpty(places);
    expect(await awaitSession(machine, named('n1'))).toMatchObject({ turns: 1500, title: 'p0' });
  }, 400_000);

  it('changes nothing where a report comes again after it was taken', async () => {
    const { machine, places } = await start();
    await machine.end();
    const id = leave(places, machine, 'Prompt', { id: 'n1', prompt: 'once' });
    const file = join(places.spool, `${id}.json`);
    const text = readFileSync(file);
    for (let round = 0; round < 3; round += 1) {
      writeFileSync(file, text);
      await machine.start();
      await isEmpty(places);
      await machine.end();
    }
    await machine.start();
    expect(await awaitSession(machine, named('n1'))).toMatchObject({ turns: 1 });
  });
});

describe('hostile reports', () => {
  it('are put aside or left out, are told of, and hold nobody up', async () => {
    const { machine, places } = await start();
    const { client, work } = machine;
    const held = await client.sessions.create({ agent: 'fake', cwd: work, prompt: 'hello' });
    const { nativeId } = await machine.until(held.id, ({ turns }) => turns === 1);
    const elsewhere = join(machine.root, 'elsewhere');
    mkdirSync(elsewhere);
    const before = await client.sessions.get(held.id);
    await machine.end();
    const put = (name: string, content: string | Buffer) => writeFileSync(join(places.spool, name), content);
    put('0-text.json', 'not a report');
    put('0-torn.json', '{"v":1,"id":"x","agent":"fa');
    put('0-types.json', JSON.stringify({ v: 1, id: 7, agent: ['fake'], event: {}, payload: 3 }));
    put('0-newer.json', JSON.stringify({ v: 2, id: 'x' }));
    put('0-empty.json', '');
    put('0-large.json', Buffer.alloc(REPORT_BYTES + 1024 * 1024, 'x'));
    mkdirSync(join(places.spool, '0-folder.json'));
    symlinkSync('/dev/zero', join(places.spool, '0-link.json'));
    leave(places, machine, 'Prompt', { id: 'x' }, { agent: 'nobody' });
    leave(places, machine, 'Throw', { id: 'x' });
    const odd = [{ id: 7, cwd: 'relative', prompt: {}, model: 'a\nb' }, { id: 'x'.repeat(1000) }, [], null, 'no json'];
    for (const payload of odd) leave(places, machine, 'Stop', payload, { cwd: elsewhere });
    // The id of a session, or of a conversation, of another workspace or agent.
    const argument = { session: held.id, sessionBy: 'argument' } as const;
    leave(places, machine, 'End', {}, { ...argument, cwd: elsewhere });
    leave(places, machine, 'End', { cwd: work }, { ...argument, cwd: elsewhere });
    leave(places, machine, 'End', {}, { ...argument, agent: 'other' });
    leave(places, machine, 'End', {}, { session: 'nosuchsession', sessionBy: 'argument' });
    leave(places, machine, 'Prompt', { id: nativeId, cwd: work }, { cwd: elsewhere, at: Date.now() });
    leave(places, machine, 'Prompt', `{"id": "cut", "prompt": "${'long '.repeat(100)}`, { cut: true });
    leave(places, machine, 'Prompt', {
      id: 'secret',
      prompt: 'use API_KEY=sk-ant-api03-0123456789abcdefghijkl please',
    });
    leave(places, machine, 'Prompt', { id: 'last', prompt: '\u001b[31mred\u0007 and\ttabs' });
    await machine.start();
    expect(await awaitSession(machine, named('last'))).toMatchObject({ title: 'red and tabs' });
    await isEmpty(places);
    expect(await machine.client.sessions.get(held.id)).toMatchObject({
      ...{ activity: before.activity, isTerminated: false, origin: 'daemon', title: 'hello', turns: 1 },
    });
    expect((await awaitSession(machine, named('cut'))).title).toMatch(/^long long/);
    expect((await awaitSession(machine, named('secret'))).title).toBe('use API_KEY=[redacted] please');
    // Of those that say nothing of themselves, all are one: the same agent in the same folder.
    expect(await awaitSession(machine, ({ cwd }) => cwd === elsewhere)).toMatchObject({ nativeId: null, title: null });
    expect(readdirSync(places.aside).filter((name) => name.startsWith('0-'))).toHaveLength(8);
    // And one of an agent that nobody knows; where an adapter's `read` throws, the border answers for it.
    expect(readdirSync(places.aside)).toHaveLength(9);
    const log = machine.log();
    expect(log).toContain(`refused: it names session ${held.id}, which does not work in ${elsewhere}`);
    expect(log).toContain(`refused: it names session ${held.id}, which is one of fake`);
    expect(log).toContain('refused: it names the conversation of session');
    expect(log).toContain('there is no session nosuchsession');
  });

  it('of many sessions make so many rows and no more, and what is put aside is bounded', async () => {
    const { machine, places } = await start();
    await machine.end();
    for (let at = 0; at < 600; at += 1) leave(places, machine, 'Prompt', { id: `n${at}` });
    for (let at = 0; at < 300; at += 1) writeFileSync(join(places.spool, `0-${at}.json`), 'x');
    await machine.start();
    await isEmpty(places);
    expect((await machine.client.sessions.list({ limit: 500 })).cursor).toBeNull();
    expect(readdirSync(places.aside).length).toBeLessThanOrEqual(100);
    expect(machine.log()).toContain('more of these');
  });
});
