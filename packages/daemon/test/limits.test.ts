import { fileURLToPath } from 'node:url';
import type { Message, Session } from '@agent-mux/api';
import { describe, expect, it } from 'vitest';
import { type Machine, useMachines } from './daemons.ts';

const machines = useMachines();
const FAKE = fileURLToPath(new URL('./fake-adapter.ts', import.meta.url));
/** Timeouts that also work on a busy machine. */
const PATIENT = { timeout: 60_000, interval: 100 };

const create = (machine: Machine, options: Partial<Parameters<Machine['client']['sessions']['create']>[0]> = {}) =>
  machine.client.sessions.create({
    agent: 'demo',
    cwd: machine.work,
    prompt: 'hello',
    options: { approvalMode: 'yolo' },
    ...options,
  });
const isLimited = ({ activity, limit }: Session) => activity === 'limited' && limit !== null;
const continuations = (messages: readonly Message[]) => messages.filter(({ id }) => id.startsWith('continue-'));
/** Long enough for everything in between, even on a busy machine. */
const soon = (seconds: number) => Date.now() + seconds * 1000;

describe('session stopped by a limit', () => {
  it('pauses by default, appears in the inbox and continues on request', async () => {
    const machine = await machines.start();
    const { id } = await create(machine, { prompt: 'fail rate limit for 900s', messageId: 'm1' });
    const session = await machine.until(id, isLimited);
    expect(session).toMatchObject({
      onLimit: 'pause',
      account: expect.stringMatching(/^demo\/[0-9a-f]{8}$/),
      limit: { kind: 'usage', state: 'paused', messageId: 'm1', hadOutput: true, continuesAt: null },
    });
    expect(session.limit?.resetsAt).toBeGreaterThan(Date.now() + 600_000);
    expect((await machine.client.inbox()).limits.map((each) => each.id)).toEqual([id]);
    const [account] = await machine.client.quota();
    expect(account).toMatchObject({ account: session.account, agent: 'demo', limited: true, source: 'stream' });
    await expect(machine.client.sessions.cancelContinuation(id)).rejects.toMatchObject({ problem: 'NOT_LIMITED' });
    await machine.client.sessions.continueNow(id);
    await machine.until(id, ({ turns, activity }) => turns === 2 && activity !== 'active');
    const [sent, ...more] = continuations(await machine.client.sessions.messages(id));
    expect(sent).toMatchObject({ text: 'Continue where you left off.', by: 'token' });
    expect(more).toEqual([]);
  });

  it('continues once after the reset when onLimit is "continue" and repeats a turn without output', async () => {
    const machine = await machines.start({ onLimit: 'continue' });
    const text = `hello, and fail rate limit until ${soon(30)}`;
    const { id } = await create(machine, { prompt: text, messageId: 'm1' });
    const waiting = await machine.until(id, ({ limit }) => limit?.state === 'scheduled');
    expect(waiting).toMatchObject({ activity: 'limited', limit: { messageId: 'm1', hadOutput: false } });
    expect(waiting.limit?.continuesAt).toBeGreaterThanOrEqual(waiting.limit?.resetsAt ?? Number.NaN);
    const done = await machine.until(id, ({ turns, activity }) => turns === 2 && activity === 'idle');
    expect(done).toMatchObject({ limit: null, waitingFor: null, summary: expect.stringContaining('Hello') });
    const messages = await machine.client.sessions.messages(id);
    expect(messages.map((each) => [each.text, each.state])).toEqual([
      [text, 'completed'],
      [text, 'completed'],
    ]);
    expect((await machine.client.limits()).rules).toMatchObject({ onLimit: 'continue', continuedToday: 1 });
    const actions = (await machine.client.audit({ sessionId: id })).map(({ action }) => action);
    expect(actions.filter((action) => action === 'limit.continue')).toHaveLength(1);
  });

  it('holds other sessions of the same agent and login only', async () => {
    const fake = {
      adapters: [
        { from: FAKE, options: { steps: [{ do: 'event', event: { type: 'turn_end', status: 'completed' } }] } },
      ],
    };
    const machine = await machines.start({ continuation: { stagger: '1s' } }, fake);
    const { id } = await create(machine, { prompt: 'fail rate limit for 30s' });
    await machine.until(id, isLimited);
    const other = await create(machine, { prompt: 'hello' });
    expect(other).toMatchObject({
      launch: 0,
      queuedMessages: 1,
      waitingFor: { kind: 'usage', message: expect.stringContaining('demo'), until: expect.any(Number) },
    });
    await expect(machine.client.sessions.send(other.id, { text: 'at once', mode: 'reject' })).rejects.toMatchObject({
      problem: 'TURN_RUNNING',
    });
    const otherLogin = await create(machine, { hostEnv: { ...machine.env, HOME: `${machine.root}/other` } });
    expect(otherLogin.waitingFor).toBeNull();
    await machine.until(otherLogin.id, ({ turns }) => turns === 1);
    const another = await create(machine, { agent: 'fake' });
    expect(another.waitingFor).toBeNull();
    await machine.until(another.id, ({ launch }) => launch === 1);
    expect(await machine.client.sessions.get(other.id)).toMatchObject({ launch: 0, queuedMessages: 1 });
    expect((await machine.client.limits()).sessions.map((each) => each.id).sort()).toEqual([id, other.id].sort());
    const after = await machine.until(other.id, ({ turns }) => turns === 1);
    expect(after.waitingFor).toBeNull();
    // onLimit is "pause", so it is still paused.
    expect(await machine.client.sessions.get(id)).toMatchObject({ activity: 'limited', limit: { state: 'paused' } });
  });

  it('does not continue after a cancel until a person changes onLimit', async () => {
    const machine = await machines.start();
    const { id } = await create(machine, { prompt: 'fail rate limit for 6s', onLimit: 'continue' });
    const { limit } = await machine.until(id, (session) => session.limit?.state === 'scheduled');
    await machine.client.sessions.cancelContinuation(id);
    expect(await machine.client.sessions.get(id)).toMatchObject({
      limit: { state: 'cancelled', reason: 'cancelled by token', continuesAt: null },
    });
    await expect.poll(() => Date.now(), PATIENT).toBeGreaterThan((limit?.continuesAt ?? 0) + 3000);
    expect(continuations(await machine.client.sessions.messages(id))).toEqual([]);
    await machine.client.sessions.update(id, { onLimit: 'continue' });
    await machine.until(id, ({ turns }) => turns === 2);
    expect(continuations(await machine.client.sessions.messages(id))).toHaveLength(1);
  });

  it('waits for the allowed hours and respects the daily limit', async () => {
    const clock = (minutes: number) => {
      const at = new Date(Date.now() + minutes * 60_000);
      return `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`;
    };
    const hours = `${clock(120)}-${clock(180)}`;
    const machine = await machines.start({
      onLimit: 'continue',
      continuation: { hours, maxPerDay: 1, stagger: '1s' },
    });
    const { id } = await create(machine, { prompt: 'fail rate limit for 2s' });
    const held = await machine.until(id, ({ limit }) => limit?.state === 'outside_hours');
    expect(held.limit).toMatchObject({ reason: expect.stringContaining(hours.slice(0, 5)) });
    await machine.end();
    machine.configure({ onLimit: 'continue', continuation: { maxPerDay: 1, stagger: '1s' } });
    await machine.start();
    await machine.until(id, ({ turns }) => turns === 2);
    const second = await create(machine, { prompt: 'fail rate limit for 2s' });
    const capped = await machine.until(second.id, ({ limit }) => limit?.state === 'capped');
    expect(capped.limit?.continuesAt).toBeGreaterThan(Date.now());
    expect((await machine.client.limits()).rules).toMatchObject({ maxPerDay: 1, continuedToday: 1 });
  });
});
