import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Message, Session } from '@agent-mux/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeyedMutex } from '../sessions/keyed-mutex.ts';
import { type DaemonSettings, DEFAULT_SETTINGS } from '../settings/settings.ts';
import { openStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { createCommit, createLimit, createMessage, createSession, NOON } from '../store/suite/fixtures.ts';
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
      return (...args: unknown[]) => {
        left -= 1;
        if (left < 0) return Promise.reject(new Died());
        return value.apply(target, args);
      };
    },
  });
}

function createGovernor(over: { store?: Store; now?: number; settings?: Partial<DaemonSettings> } = {}) {
  const scheduled: string[] = [];
  const governor = new Governor({
    store: over.store ?? store,
    settings: { ...DEFAULT_SETTINGS, ...over.settings },
    env: {},
    now: () => over.now ?? NOON,
    log: () => {},
    mutex: new KeyedMutex(),
    scheduleDelivery: (id) => void scheduled.push(id),
    notify: () => {},
    adapterOf: () => undefined,
    environmentOf: () => ({}),
  });
  return { governor, scheduled };
}

const LATER = NOON + 3_600_000;
const PROJECT = createSession('x').cwd;

async function addLimited(id: string, options: Partial<Session> = {}): Promise<void> {
  const limit = createLimit('l7', { resetsAt: NOON + 1000, messageId: 'm1', hadOutput: false });
  await store.insertSession(
    createSession(id, { account: 'demo/1', activity: 'limited', onLimit: 'continue', limit, ...options }),
  );
  await store.insertMessage(createMessage(id, 'm1', { text: 'the prompt', files: ['f1'], state: 'completed' }));
}

const queuedIn = (id: string): Promise<Message[]> => store.listMessages(id, ['queued']);

describe('continuation after a limit', () => {
  it('queues the refused message again, stores the decision first and counts it', async () => {
    await addLimited('a');
    const { governor, scheduled } = createGovernor({ now: LATER });
    await governor.open();
    governor.start();
    await governor.close();
    expect(await queuedIn('a')).toMatchObject([
      { id: 'continue-l7-1', text: 'the prompt', files: ['f1'], by: 'the limit governor' },
    ]);
    expect(await store.getSession('a')).toMatchObject({ limit: { state: 'continued', continuesAt: null } });
    expect(scheduled).toContain('a');
    expect((await governor.overview()).rules.continuedToday).toBe(1);
  });

  it('happens once no matter when and how often the daemon dies', async () => {
    await addLimited('a');
    for (let write = 0; write < 12; write++) {
      const { governor } = createGovernor({ store: dyingAt(write), now: LATER });
      await governor.open().then(
        () => governor.start(),
        () => {},
      );
      await governor.close();
      expect((await store.listMessages('a')).filter(({ id }) => id !== 'm1').length).toBeLessThanOrEqual(1);
      // A decision is never revoked.
      const [made] = await queuedIn('a');
      if (made) expect(made).toMatchObject({ id: 'continue-l7-1', text: 'the prompt' });
    }
    expect(await queuedIn('a')).toHaveLength(1);
    expect(await store.listRecords('continuation')).toHaveLength(1);
    expect(await store.getSession('a')).toMatchObject({ limit: { state: 'continued' } });
  });

  it('uses the wall clock and does not repeat when the clock is set back', async () => {
    await addLimited('a');
    const clock = { now: LATER };
    for (const now of [LATER, NOON - 86_400_000, LATER, LATER + 86_400_000]) {
      clock.now = now;
      const { governor } = createGovernor(clock);
      await governor.open();
      governor.start();
      await governor.close();
    }
    expect((await store.listMessages('a')).map(({ id }) => id)).toEqual(['m1', 'continue-l7-1']);
  });

  it('keeps the delay to the previous message of the account after a restart', async () => {
    const account = 'demo/1';
    for (const id of ['a', 'b']) await addLimited(id, { account });
    const { staggerMs } = DEFAULT_SETTINGS.continuation;
    const checkAt = async (now: number, meanwhile?: (governor: Governor) => Promise<void>) => {
      const { governor } = createGovernor({ now });
      await governor.open();
      await meanwhile?.(governor);
      governor.start();
      await governor.close();
    };
    await checkAt(LATER);
    const [first] = [...(await queuedIn('a')), ...(await queuedIn('b'))];
    const other = first?.sessionId === 'a' ? 'b' : 'a';
    expect(await queuedIn(other)).toEqual([]);
    // The daemon died before sending, and by the clock the delay has passed.
    const restart = LATER + 2 * staggerMs;
    await checkAt(restart);
    expect(await queuedIn(other)).toEqual([]);
    const session = await store.getSession(first?.sessionId ?? '');
    await checkAt(restart, async (governor) => {
      if (session && first) await governor.sent(session, first);
      await store.updateMessage(session?.id ?? '', first?.id ?? '', { state: 'accepted' });
    });
    expect(await queuedIn(other)).toEqual([]);
    await checkAt(restart + staggerMs - 1);
    expect(await queuedIn(other)).toEqual([]);
    await checkAt(restart + staggerMs);
    expect(await queuedIn(other)).toHaveLength(1);
  });

  it('sends the continuation message when the stopped turn had output', async () => {
    await addLimited('a', { limit: createLimit('l7', { messageId: 'm1', hadOutput: true }) });
    const { continuation } = DEFAULT_SETTINGS;
    const { governor } = createGovernor({
      now: LATER,
      settings: { continuation: { ...continuation, message: 'Continue, please.' } },
    });
    await governor.open();
    governor.start();
    await governor.close();
    expect(await queuedIn('a')).toMatchObject([{ text: 'Continue, please.', files: [] }]);
  });

  it('does not recur when its message was cancelled or failed', async () => {
    await addLimited('a');
    const first = createGovernor({ now: LATER }).governor;
    await first.open();
    first.start();
    await first.close();
    await store.updateMessage('a', 'continue-l7-1', { state: 'failed', error: { code: 'X', message: 'no variable' } });
    const second = createGovernor({ now: LATER }).governor;
    await second.open();
    second.start();
    await second.close();
    expect(await store.getSession('a')).toMatchObject({ limit: { state: 'paused', reason: 'no variable' } });
    expect(await queuedIn('a')).toEqual([]);
  });

  it('skips ended sessions and sessions with onLimit "pause"', async () => {
    await addLimited('paused', { onLimit: 'pause' });
    await addLimited('ended', { isTerminated: true, activity: 'exited' });
    const { governor } = createGovernor({ now: LATER });
    await governor.open();
    governor.start();
    governor.watch('ended');
    await governor.close();
    for (const id of ['paused', 'ended']) expect(await queuedIn(id)).toEqual([]);
  });
});

describe('budget', () => {
  const used = (costUsd: number | null, estimated = false) => ({
    ...{ day: '2025-11-16', agent: 'demo', model: 'small', project: PROJECT, costUsd, estimated },
    usage: { inputTokens: 900, outputTokens: 100, cacheReadTokens: 5000, cacheCreationTokens: null, totalTokens: 1000 },
  });
  const noon = new Date(2025, 10, 16, 12).getTime();

  it('blocks its session when exhausted and reports usage and estimates', async () => {
    const session = await store.insertSession(createSession('a', { budget: { usd: 1 } }));
    const next = createMessage('a', 'm1');
    await store.insertMessage(next);
    const { governor } = createGovernor({ now: noon });
    expect(await governor.holds(session, { ...next, rev: 0 })).toBe(false);
    await store.commit([createCommit('a', 0, 0, { usage: [used(0.9), used(0.3, true), used(null)] })]);
    expect(await governor.holds(session, { ...next, rev: 0 })).toBe(true);
    const held = await store.getSession('a');
    const text =
      'the budget of this session is used up: $1.20 of $1.00, $0.30 of it estimated, excluding 1 calls of unknown cost';
    expect(held).toMatchObject({
      activity: 'limited',
      limit: { kind: 'budget', message: text, reason: 'run "amux limits budget a AMOUNT"' },
      waitingFor: { kind: 'budget', message: text, until: null },
    });
    const raised = await store.updateSession('a', { budget: { usd: 2 } });
    expect(raised && (await governor.holds(raised, { ...next, rev: 0 }))).toBe(false);
    expect(await store.getSession('a')).toMatchObject({ activity: 'idle', limit: null, waitingFor: null });
  });

  it('covers all sessions of a day or project, counts tokens, and resets at midnight', async () => {
    await store.insertSession(createSession('a'));
    await store.commit([createCommit('a', 0, 0, { usage: [used(0.9)] })]);
    const holds = async (options: Partial<Session>, budgets: DaemonSettings['budgets'], now = noon) => {
      const row = { ...createSession('b', options), openRequests: 0, queuedMessages: 0, rev: 0 };
      return createGovernor({ now, settings: { budgets } }).governor.holds(row, undefined);
    };
    expect(await holds({}, [{ per: 'day', usd: 0.9 }])).toBe(true);
    expect(await holds({}, [{ per: 'day', usd: 0.9 }], noon + 86_400_000)).toBe(false);
    expect(await holds({}, [{ per: 'day', usd: 1 }])).toBe(false);
    expect(await holds({}, [{ per: 'day', tokens: 1000 }])).toBe(true);
    expect(await holds({ agent: 'other' }, [{ per: 'day', usd: 0.5, agent: 'demo' }])).toBe(false);
    expect(await holds({}, [{ per: 'project', usd: 0.5 }], noon + 40 * 86_400_000)).toBe(true);
    expect(await holds({ cwd: '/other' }, [{ per: 'project', usd: 0.5 }])).toBe(false);
    expect(await holds({}, [{ per: 'project', usd: 0.5, project: dirname(PROJECT) }])).toBe(true);
    expect(await holds({}, [{ per: 'project', usd: 0.5, project: dirname(PROJECT).slice(0, -1) }])).toBe(false);
    expect(await holds({}, [{ per: 'session', usd: 0.5 }])).toBe(false);
    const worktree = {
      kind: 'worktree',
      path: '/w',
      repository: PROJECT,
      branch: 'b',
      base: 'c',
    } as const;
    const workspace = { ...worktree, baseBranch: null, removed: false, savedRef: null };
    expect(await holds({ cwd: '/w', workspace }, [{ per: 'project', usd: 0.5 }])).toBe(true);
  });
});
