import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Message, Session } from '@agent-mux/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Serial } from '../sessions/serial.ts';
import { type DaemonSettings, DEFAULT_SETTINGS } from '../settings/settings.ts';
import { openStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { makeCommit, makeLimit, makeMessage, makeSession, NOON } from '../store/suite/made-up.ts';
import { Governor } from './governor.ts';

let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'governor-'));
  store = await openStore(join(folder, 'store.sqlite'), { now: () => NOON });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

class Died extends Error {}

/** The same store, for a daemon that dies right before its nth write. */
function dyingAt(write: number): Store {
  let left = write;
  const writes = new Set(['putRecord', 'insertMessage', 'updateWithLimit', 'updateSession', 'appendAudit']);
  return new Proxy(store, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function' || typeof name !== 'string' || !writes.has(name)) return value;
      return (...given: unknown[]) => {
        left -= 1;
        if (left < 0) return Promise.reject(new Died());
        return value.apply(target, given);
      };
    },
  });
}

function makeGovernor(over: { store?: Store; now?: number; settings?: Partial<DaemonSettings> } = {}) {
  const kicked: string[] = [];
  const governor = new Governor({
    store: over.store ?? store,
    settings: { ...DEFAULT_SETTINGS, ...over.settings },
    env: {},
    now: () => over.now ?? NOON,
    log: () => {},
    serial: new Serial(),
    kick: (id) => void kicked.push(id),
    tell: () => {},
    adapterOf: () => undefined,
    environmentOf: () => ({}),
  });
  return { governor, kicked };
}

const LATER = NOON + 3_600_000;

async function addLimited(id: string, given: Partial<Session> = {}): Promise<void> {
  const limit = makeLimit('l7', { resetsAt: NOON + 1000, messageId: 'm1', showed: false });
  await store.insertSession(
    makeSession(id, { account: 'demo/1', activity: 'limited', onLimit: 'wait', limit, ...given }),
  );
  await store.insertMessage(makeMessage(id, 'm1', { text: 'what was asked', files: ['f1'], state: 'done' }));
}

const queuedIn = (id: string): Promise<Message[]> => store.listMessages(id, ['queued']);

describe('going on after a limit', () => {
  it('is a message with the words that were refused, written down before it is sent, and counted', async () => {
    await addLimited('a');
    const { governor, kicked } = makeGovernor({ now: LATER });
    await governor.open();
    governor.start();
    await governor.close();
    expect(await queuedIn('a')).toMatchObject([
      { id: 'continue-l7-1', text: 'what was asked', files: ['f1'], by: 'the limit governor' },
    ]);
    expect(await store.getSession('a')).toMatchObject({ limit: { state: 'continued', continuesAt: null } });
    expect(kicked).toContain('a');
    expect((await governor.overview()).rules.today).toBe(1);
  });

  it('happens once, whenever the daemon dies, and however often', async () => {
    await addLimited('a');
    for (let write = 0; write < 12; write++) {
      const { governor } = makeGovernor({ store: dyingAt(write), now: LATER });
      await governor.open().then(
        () => governor.start(),
        () => {},
      );
      await governor.close();
      expect((await store.listMessages('a')).filter(({ id }) => id !== 'm1').length).toBeLessThanOrEqual(1);
      // Whatever was decided stands.
      const [made] = await queuedIn('a');
      if (made) expect(made).toMatchObject({ id: 'continue-l7-1', text: 'what was asked' });
    }
    expect(await queuedIn('a')).toHaveLength(1);
    expect(await store.listRecords('continuation')).toHaveLength(1);
    expect(await store.getSession('a')).toMatchObject({ limit: { state: 'continued' } });
  });

  it('is decided by the clock of the wall, and not once more when that is set back', async () => {
    await addLimited('a');
    const clock = { now: LATER };
    for (const now of [LATER, NOON - 86_400_000, LATER, LATER + 86_400_000]) {
      clock.now = now;
      const { governor } = makeGovernor(clock);
      await governor.open();
      governor.start();
      await governor.close();
    }
    expect((await store.listMessages('a')).map(({ id }) => id)).toEqual(['m1', 'continue-l7-1']);
  });

  it('keeps its distance to the one before when that is sent, however long ago a daemon that died has decided it', async () => {
    const account = 'demo/1';
    for (const id of ['a', 'b']) await addLimited(id, { account });
    const { staggerMs } = DEFAULT_SETTINGS.limits;
    const look = async (now: number, meanwhile?: (governor: Governor) => Promise<void>) => {
      const { governor } = makeGovernor({ now });
      await governor.open();
      await meanwhile?.(governor);
      governor.start();
      await governor.close();
    };
    await look(LATER);
    const [first] = [...(await queuedIn('a')), ...(await queuedIn('b'))];
    const other = first?.sessionId === 'a' ? 'b' : 'a';
    expect(await queuedIn(other)).toEqual([]);
    // The daemon died before it was sent, and the pause is over by the clock.
    const restart = LATER + 2 * staggerMs;
    await look(restart);
    expect(await queuedIn(other)).toEqual([]);
    const session = await store.getSession(first?.sessionId ?? '');
    await look(restart, async (governor) => {
      if (session && first) await governor.sent(session, first);
      await store.updateMessage(session?.id ?? '', first?.id ?? '', { state: 'accepted' });
    });
    expect(await queuedIn(other)).toEqual([]);
    await look(restart + staggerMs - 1);
    expect(await queuedIn(other)).toEqual([]);
    await look(restart + staggerMs);
    expect(await queuedIn(other)).toHaveLength(1);
  });

  it('is taken over by one who goes on in the middle with other words', async () => {
    await addLimited('a', { limit: makeLimit('l7', { messageId: 'm1', showed: true }) });
    const { limits } = DEFAULT_SETTINGS;
    const { governor } = makeGovernor({ now: LATER, settings: { limits: { ...limits, message: 'Go on, please.' } } });
    await governor.open();
    governor.start();
    await governor.close();
    expect(await queuedIn('a')).toMatchObject([{ text: 'Go on, please.', files: [] }]);
  });

  it('does not come back where its message was taken back or refused', async () => {
    await addLimited('a');
    const first = makeGovernor({ now: LATER }).governor;
    await first.open();
    first.start();
    await first.close();
    await store.updateMessage('a', 'continue-l7-1', { state: 'failed', error: { code: 'X', message: 'no variable' } });
    const second = makeGovernor({ now: LATER }).governor;
    await second.open();
    second.start();
    await second.close();
    expect(await store.getSession('a')).toMatchObject({ limit: { state: 'stopped', reason: 'no variable' } });
    expect(await queuedIn('a')).toEqual([]);
  });

  it('is not for a session that has ended, nor for one that stays', async () => {
    await addLimited('stays', { onLimit: 'stop' });
    await addLimited('ended', { isTerminated: true, activity: 'exited' });
    const { governor } = makeGovernor({ now: LATER });
    await governor.open();
    governor.start();
    governor.watch('ended');
    await governor.close();
    for (const id of ['stays', 'ended']) expect(await queuedIn(id)).toEqual([]);
  });
});

describe('a budget', () => {
  const used = (costUsd: number | null, estimated = false) => ({
    ...{ day: '2025-11-16', agent: 'demo', model: 'small', project: '/home/somebody/project', costUsd, estimated },
    usage: { inputTokens: 900, outputTokens: 100, cacheReadTokens: 5000, cacheCreationTokens: null, totalTokens: 1000 },
  });
  const noon = new Date(2025, 10, 16, 12).getTime();

  it('that is spent holds what it covers, and says what was used and how sure that is', async () => {
    const session = await store.insertSession(makeSession('a', { budget: { usd: 1 } }));
    const next = makeMessage('a', 'm1');
    await store.insertMessage(next);
    const { governor } = makeGovernor({ now: noon });
    expect(await governor.holds(session, { ...next, rev: 0 })).toBe(false);
    await store.commit([makeCommit('a', 0, 0, { usage: [used(0.9), used(0.3, true), used(null)] })]);
    expect(await governor.holds(session, { ...next, rev: 0 })).toBe(true);
    const held = await store.getSession('a');
    const said =
      'the budget of this session is used up: $1.20 of $1.00, $0.30 of it estimated; 1 calls of unknown cost are not in it';
    expect(held).toMatchObject({
      activity: 'limited',
      limit: { kind: 'budget', message: said, reason: 'amux limits raise a AMOUNT' },
      waitsFor: { kind: 'budget', message: said, until: null },
    });
    const raised = await store.updateSession('a', { budget: { usd: 2 } });
    expect(raised && (await governor.holds(raised, { ...next, rev: 0 }))).toBe(false);
    expect(await store.getSession('a')).toMatchObject({ activity: 'idle', limit: null, waitsFor: null });
  });

  it('of a day or a project covers all that it names, tokens too, and one of a day is lifted at midnight', async () => {
    await store.insertSession(makeSession('a'));
    await store.commit([makeCommit('a', 0, 0, { usage: [used(0.9)] })]);
    const holds = async (given: Partial<Session>, budgets: DaemonSettings['budgets'], now = noon) => {
      const row = { ...makeSession('b', given), openRequests: 0, queuedMessages: 0, rev: 0 };
      return makeGovernor({ now, settings: { budgets } }).governor.holds(row, undefined);
    };
    expect(await holds({}, [{ per: 'day', usd: 0.9 }])).toBe(true);
    expect(await holds({}, [{ per: 'day', usd: 0.9 }], noon + 86_400_000)).toBe(false);
    expect(await holds({}, [{ per: 'day', usd: 1 }])).toBe(false);
    expect(await holds({}, [{ per: 'day', tokens: 1000 }])).toBe(true);
    expect(await holds({ agent: 'other' }, [{ per: 'day', usd: 0.5, agent: 'demo' }])).toBe(false);
    expect(await holds({}, [{ per: 'project', usd: 0.5 }], noon + 40 * 86_400_000)).toBe(true);
    expect(await holds({ cwd: '/elsewhere' }, [{ per: 'project', usd: 0.5 }])).toBe(false);
    expect(await holds({}, [{ per: 'project', usd: 0.5, project: '/home/somebody' }])).toBe(true);
    expect(await holds({}, [{ per: 'project', usd: 0.5, project: '/home/some' }])).toBe(false);
    expect(await holds({}, [{ per: 'session', usd: 0.5 }])).toBe(false);
    const worktree = {
      kind: 'worktree',
      path: '/w',
      repository: '/home/somebody/project',
      branch: 'b',
      base: 'c',
    } as const;
    const workspace = { ...worktree, baseBranch: null, removed: false, savedRef: null };
    expect(await holds({ cwd: '/w', workspace }, [{ per: 'project', usd: 0.5 }])).toBe(true);
  });
});
