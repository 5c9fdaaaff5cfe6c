import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfiguredClient } from '@agent-mux/adapters/client';
import { PolicyStore } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Projector } from '../activity/project.ts';
import { DaemonError } from '../daemon-error.ts';
import { segmentPath } from '../journal/segments.ts';
import { Governor } from '../limits/governor.ts';
import { daemonPathsIn, journalIn } from '../paths.ts';
import { answerRequest } from '../requests/answer.ts';
import { DEFAULT_SETTINGS } from '../settings/settings.ts';
import { openStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { createCommit, createMessage, createRequest, createSession, NOON } from '../store/suite/fixtures.ts';
import { Committer } from './committer.ts';
import type { DaemonContext, LiveSession } from './daemon-context.ts';
import { deliverNext } from './deliver.ts';
import type { KeeperLink } from './keeper-link.ts';
import { Retries } from './keepers/retries.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import { KeyedSignal } from './keyed-signal.ts';
import { changeSession, interruptSession } from './lifecycle.ts';
import { cancelMessage, sendMessage } from './send.ts';

let root: string;
let store: Store;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'deliver-'));
  store = await openStore(join(root, 'store.sqlite'), { now: () => NOON, report: () => {} });
});
afterEach(async () => {
  await store.close();
  rmSync(root, { recursive: true });
});

/** A daemon without agents: every launch is refused. */
function createContext(): DaemonContext & { scheduled: string[] } {
  const scheduled: string[] = [];
  const noEvents = { committed: () => {}, durable: () => {}, storageError: () => {} };
  const scheduleDelivery = (id: string) => void scheduled.push(id);
  const mutex = new KeyedMutex();
  const shared = { env: {}, now: () => NOON, log: () => {} };
  const governor = new Governor({
    ...{
      ...shared,
      store,
      mutex,
      scheduleDelivery,
      notify: () => {},
      adapterOf: () => undefined,
      environmentOf: () => ({}),
    },
    settings: DEFAULT_SETTINGS,
  });
  return {
    ...{ ...shared, scheduleDelivery, governor, policy: new PolicyStore({ env: {} }), isClosing: () => false },
    ...{ store, scheduled, paths: daemonPathsIn(root), committer: new Committer(store, noEvents), mutex },
    ...{
      signals: new KeyedSignal(),
      live: new Map(),
      keepers: new Map(),
      connecting: new Map(),
      environments: new Map(),
    },
    retries: new Retries(),
    settings: { ...DEFAULT_SETTINGS, maxLiveSessions: 5 },
    waitingForSlot: new Set(),
    clientFor: () => {
      throw new DaemonError('UNKNOWN_AGENT', 'no agents are configured');
    },
    onKeeperLost: () => {},
  };
}

const context = { estimate: () => null, dayOf: () => '2026-11-16' };
const envelope = { agent: 'demo', runId: 's-1', turnIndex: 0, timestamp: NOON };

async function liveSession(request: KeeperLink['request']): Promise<LiveSession> {
  const session = (await store.getSession('s'))!;
  const projector = new Projector(session, context);
  projector.recall([{ type: 'turn_end', status: 'completed', ...envelope, seq: 1 }]);
  const link = { request, record: { pid: 2 ** 30, startTime: '0' } } as unknown as KeeperLink;
  const rest = { inFlight: null, ending: null, storageError: null, quietSince: 0, account: null };
  return { id: 's', agent: 'demo', link, launch: 1, projector, lastSeq: 1, ...rest };
}

async function stateOf(messageId: string): Promise<string | undefined> {
  return (await store.getMessage('s', messageId))?.state;
}

describe('message', () => {
  it('waits for the next launch when the run ends during delivery', async () => {
    const ctx = createContext();
    await store.insertSession(createSession('s'));
    await store.insertMessage(createMessage('s', 'm1'));
    const ended = async () => {
      throw new DaemonError('RUN_ENDED', 'the run has ended');
    };
    const live = await liveSession(ended);
    ctx.live.set('s', live);
    await deliverNext(ctx, 's');
    expect(await stateOf('m1')).toBe('queued');
    expect(live.inFlight).toBeNull();
    expect(ctx.scheduled).toEqual([]);
  });

  it('stays queued for the next process when the live one ended before it accepted the message', async () => {
    const ctx = createContext();
    await store.insertSession(createSession('s', { parked: true }));
    await store.insertMessage(createMessage('s', 'm1'));
    const leaving = async () => {
      // The last report of its keeper is handled while the request fails.
      ctx.live.delete('s');
      throw new DaemonError('KEEPER_GONE', 'the connection to keeper 7 is lost');
    };
    ctx.live.set('s', await liveSession(leaving));
    await deliverNext(ctx, 's');
    expect(await stateOf('m1')).toBe('queued');
    expect(ctx.scheduled).toEqual(['s']);
  });

  it('is not sent to a session without a keeper before its journal is read to the end', async () => {
    const ctx = createContext();
    await store.insertSession(createSession('s', { agentSessionId: 'n', keeperPid: 1 }));
    await store.insertMessage(createMessage('s', 'm2'));
    const result = { exitReason: 'crashed', error: { code: 'AGENT_CRASH', message: 'it fell' }, model: null };
    const lines = [
      { type: 'turn_start', origin: 'user', ...envelope, seq: 0 },
      { type: 'run_result', ...result, ...envelope, seq: 1 },
    ];
    const journal = journalIn(join(ctx.paths.sessions, 's'));
    mkdirSync(journal, { recursive: true, mode: 0o700 });
    writeFileSync(segmentPath(journal, 0), lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
    await deliverNext(ctx, 's');
    expect(await store.getSession('s')).toMatchObject({ lastSeq: 1, launch: 1, error: { code: 'AGENT_CRASH' } });
    expect(await stateOf('m2')).toBe('queued');
  });

  it('is in flight once a keeper has it, even if that cannot be stored', async () => {
    const ctx = createContext();
    await store.insertSession(createSession('s', { agent: 'opencode', launch: 0, parked: true }));
    await store.insertMessage(createMessage('s', 'm1'));
    const requests: string[] = [];
    const link = {
      key: 'k',
      record: { group: 'opencode/serve', pid: 7 },
      request: async ({ type }: { type: string }) => void requests.push(type),
    } as unknown as KeeperLink;
    ctx.keepers.set('k', link);
    const client = createConfiguredClient({ env: {} });
    ctx.clientFor = () => client;
    ctx.store = {
      ...store,
      updateSession: async (id, change) => {
        if (change.keeperPid !== undefined) throw new Error('the disk is full');
        return store.updateSession(id, change);
      },
    };
    await deliverNext(ctx, 's');
    expect(requests).toEqual(['open']);
    expect(ctx.live.get('s')).toMatchObject({ link, inFlight: 'm1' });
    expect(await stateOf('m1')).toBe('queued');
  });
  it('notifies waiters at once when it is refused', async () => {
    const ctx = createContext();
    await store.insertSession(createSession('s'));
    const live = await liveSession(async () => {
      throw new DaemonError('CAPABILITY_ERROR', 'it cannot be steered');
    });
    live.projector.recall([{ type: 'turn_start', origin: 'user', ...envelope, seq: 2 }]);
    ctx.live.set('s', live);
    const states: (string | undefined)[] = [];
    const notify = ctx.signals.notify.bind(ctx.signals);
    ctx.signals.notify = (key) => {
      void stateOf('m1').then((state) => states.push(state));
      notify(key);
    };
    await expect(sendMessage(ctx, 's', { id: 'm1', text: 'x', mode: 'steer' }, 'a')).rejects.toThrow('steered');
    await expect.poll(() => states.at(-1)).toBe('failed');
  });

  it('can be cancelled while queued and dismissed when failed or unknown', async () => {
    const ctx = createContext();
    await store.insertSession(createSession('s'));
    const error = { code: 'AGENT_ERROR', message: 'no' };
    for (const state of ['queued', 'failed', 'unknown', 'accepted', 'completed'] as const)
      await store.insertMessage(createMessage('s', state, { state, error: state === 'failed' ? error : null }));
    const cancel = (id: string) => cancelMessage(ctx, 's', id, 'user');
    expect(await cancel('queued')).toMatchObject({ state: 'cancelled' });
    for (const id of ['failed', 'unknown', 'unknown']) expect(await cancel(id)).toMatchObject({ state: 'dismissed' });
    expect(await store.getMessage('s', 'failed')).toMatchObject({ state: 'dismissed', error });
    for (const id of ['accepted', 'completed'])
      await expect(cancel(id)).rejects.toMatchObject({ code: 'MESSAGE_NOT_QUEUED' });
    const actions = (await store.readAudit({ limit: 10 })).map(({ action }) => action).sort();
    expect(actions).toEqual(['message.cancel', 'message.dismiss', 'message.dismiss']);
  });
});

describe('session whose keeper has just ended', () => {
  const gone = async () => {
    throw new DaemonError('KEEPER_GONE', 'the connection to keeper 7 is lost');
  };

  async function lostContext(): Promise<DaemonContext> {
    const ctx = createContext();
    await store.insertSession(createSession('s', { keeperPid: 7 }));
    const live = await liveSession(gone);
    live.projector.recall([{ type: 'turn_start', origin: 'user', ...envelope, seq: 2 }]);
    ctx.live.set('s', live);
    return ctx;
  }

  it('refuses an interrupt and a steer, because no turn is running', async () => {
    const ctx = await lostContext();
    const noTurn = { code: 'NO_ACTIVE_TURN', hint: expect.any(String) };
    await expect(interruptSession(ctx, 's', 'user')).rejects.toMatchObject(noTurn);
    await expect(sendMessage(ctx, 's', { id: 'm1', text: 'x', mode: 'steer' }, 'a')).rejects.toMatchObject(noTurn);
    expect(await store.getMessage('s', 'm1')).toMatchObject({ state: 'failed', error: { code: 'NO_ACTIVE_TURN' } });
  });

  it('refuses an answer because the request is closed, and stores noEvents', async () => {
    const ctx = await lostContext();
    await store.commit([createCommit('s', 0, 0, { requests: [createRequest('s', 'r1', { launch: 1 })] })]);
    const answered = answerRequest(ctx, 'r1', { decision: 'allow' }, 'user');
    await expect(answered).rejects.toMatchObject({ code: 'REQUEST_CLOSED', hint: expect.any(String) });
    expect(await store.getRequest('r1')).toMatchObject({ state: 'open', by: null, answer: null });
  });

  it('stores a model change for the next launch', async () => {
    const ctx = await lostContext();
    await changeSession(ctx, 's', { model: 'larger' }, 'user');
    expect(await store.getSession('s')).toMatchObject({ model: 'larger', options: { model: 'larger' } });
  });
});
