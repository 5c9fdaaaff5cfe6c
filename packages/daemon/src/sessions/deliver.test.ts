import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfiguredClient } from '@agent-mux/adapters/client';
import { PolicyBook } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Projector } from '../activity/project.ts';
import { DaemonError } from '../daemon-error.ts';
import { segmentPath } from '../journal/segments.ts';
import { Governor } from '../limits/governor.ts';
import { journalIn, placesIn } from '../places.ts';
import { answerRequest } from '../requests/answer.ts';
import { DEFAULT_SETTINGS } from '../settings/settings.ts';
import { openStore } from '../store/sqlite/sqlite-store.ts';
import type { Store } from '../store/store.ts';
import { makeCommit, makeMessage, makeRequest, makeSession, NOON } from '../store/suite/made-up.ts';
import { Committer } from './committer.ts';
import { deliverNext } from './deliver.ts';
import type { Desk, LiveSession } from './desk.ts';
import type { KeeperLink } from './keeper-link.ts';
import { Retries } from './keepers/retries.ts';
import { changeSession, interruptSession } from './lifecycle.ts';
import { cancelMessage, sendMessage } from './send.ts';
import { Serial } from './serial.ts';
import { Wakers } from './wakers.ts';

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

/** A daemon without agents: whatever would be launched is refused. */
function makeDesk(): Desk & { kicked: string[] } {
  const kicked: string[] = [];
  const nothing = { committed: () => {}, durable: () => {}, trouble: () => {} };
  const kick = (id: string) => void kicked.push(id);
  const serial = new Serial();
  const said = { env: {}, now: () => NOON, log: () => {} };
  const governor = new Governor({
    ...{ ...said, store, serial, kick, tell: () => {}, adapterOf: () => undefined, environmentOf: () => ({}) },
    settings: DEFAULT_SETTINGS,
  });
  return {
    ...{ ...said, kick, governor, policy: new PolicyBook({ env: {} }), isClosing: () => false },
    ...{ store, kicked, places: placesIn(root), committer: new Committer(store, nothing), serial },
    ...{ wakers: new Wakers(), live: new Map(), keepers: new Map(), connecting: new Map(), environments: new Map() },
    retries: new Retries(),
    settings: { ...DEFAULT_SETTINGS, maxLiveSessions: 5 },
    waitingForRoom: new Set(),
    clientFor: () => {
      throw new DaemonError('UNKNOWN_AGENT', 'nobody is known here');
    },
    keeperGone: () => {},
  };
}

const around = { estimate: () => null, dayOf: () => '2026-11-16' };
const envelope = { agent: 'demo', runId: 's-1', turnIndex: 0, timestamp: NOON };

async function liveSession(order: KeeperLink['order']): Promise<LiveSession> {
  const session = (await store.getSession('s'))!;
  const projector = new Projector(session, around);
  projector.recall([{ type: 'turn_end', status: 'completed', ...envelope, seq: 1 }]);
  const link = { order, record: { pid: 2 ** 30, startTime: '0' } } as unknown as KeeperLink;
  const rest = { inFlight: null, ending: null, trouble: null, quietSince: 0, account: null };
  return { id: 's', agent: 'demo', link, launch: 1, projector, lastSeq: 1, ...rest };
}

async function stateOf(messageId: string): Promise<string | undefined> {
  return (await store.getMessage('s', messageId))?.state;
}

describe('a message', () => {
  it('waits for the next launch where the run has ended in the moment that it was handed over', async () => {
    const desk = makeDesk();
    await store.insertSession(makeSession('s'));
    await store.insertMessage(makeMessage('s', 'm1'));
    const ended = async () => {
      throw new DaemonError('RUN_ENDED', 'the run has ended');
    };
    const live = await liveSession(ended);
    desk.live.set('s', live);
    await deliverNext(desk, 's');
    expect(await stateOf('m1')).toBe('queued');
    expect(live.inFlight).toBeNull();
    expect(desk.kicked).toEqual([]);
  });

  it('stays queued for the next process when the live one ended before it accepted the message', async () => {
    const desk = makeDesk();
    await store.insertSession(makeSession('s', { parked: true }));
    await store.insertMessage(makeMessage('s', 'm1'));
    const leaving = async () => {
      // What its keeper reported last is handled while the order fails.
      desk.live.delete('s');
      throw new DaemonError('KEEPER_GONE', 'the connection to keeper 7 is lost');
    };
    desk.live.set('s', await liveSession(leaving));
    await deliverNext(desk, 's');
    expect(await stateOf('m1')).toBe('queued');
    expect(desk.kicked).toEqual(['s']);
  });

  it('is not sent to a session that seems to be held and is not, before its journal was read to the end', async () => {
    const desk = makeDesk();
    await store.insertSession(makeSession('s', { nativeId: 'n', keeperPid: 1 }));
    await store.insertMessage(makeMessage('s', 'm2'));
    const result = { exitReason: 'crashed', error: { code: 'AGENT_CRASH', message: 'it fell' }, model: null };
    const lines = [
      { type: 'turn_start', origin: 'user', ...envelope, seq: 0 },
      { type: 'run_result', ...result, ...envelope, seq: 1 },
    ];
    const journal = journalIn(join(desk.places.sessions, 's'));
    mkdirSync(journal, { recursive: true, mode: 0o700 });
    writeFileSync(segmentPath(journal, 0), lines.map((line) => `${JSON.stringify(line)}\n`).join(''), { mode: 0o600 });
    await deliverNext(desk, 's');
    expect(await store.getSession('s')).toMatchObject({ lastSeq: 1, launch: 1, error: { code: 'AGENT_CRASH' } });
    expect(await stateOf('m2')).toBe('queued');
  });

  it('is on its way when a keeper has it, also where that cannot be written down', async () => {
    const desk = makeDesk();
    await store.insertSession(makeSession('s', { agent: 'opencode', launch: 0, parked: true }));
    await store.insertMessage(makeMessage('s', 'm1'));
    const orders: string[] = [];
    const link = {
      key: 'k',
      record: { group: 'opencode/serve', pid: 7 },
      order: async ({ type }: { type: string }) => void orders.push(type),
    } as unknown as KeeperLink;
    desk.keepers.set('k', link);
    const client = createConfiguredClient({ env: {} });
    desk.clientFor = () => client;
    desk.store = {
      ...store,
      updateSession: async (id, change) => {
        if (change.keeperPid !== undefined) throw new Error('the disk is full');
        return store.updateSession(id, change);
      },
    };
    await deliverNext(desk, 's');
    expect(orders).toEqual(['open']);
    expect(desk.live.get('s')).toMatchObject({ link, inFlight: 'm1' });
    expect(await stateOf('m1')).toBe('queued');
  });
  it('that is refused is told at once to whoever follows the rows', async () => {
    const desk = makeDesk();
    await store.insertSession(makeSession('s'));
    const live = await liveSession(async () => {
      throw new DaemonError('CAPABILITY_ERROR', 'it cannot be steered');
    });
    live.projector.recall([{ type: 'turn_start', origin: 'user', ...envelope, seq: 2 }]);
    desk.live.set('s', live);
    const told: (string | undefined)[] = [];
    const wake = desk.wakers.wake.bind(desk.wakers);
    desk.wakers.wake = (key) => {
      void stateOf('m1').then((state) => told.push(state));
      wake(key);
    };
    await expect(sendMessage(desk, 's', { id: 'm1', text: 'x', mode: 'steer' }, 'a')).rejects.toThrow('steered');
    await expect.poll(() => told.at(-1)).toBe('failed');
  });

  it('that did not arrive, or perhaps, is put aside once it was seen; one that is on its way or over stays what it is', async () => {
    const desk = makeDesk();
    await store.insertSession(makeSession('s'));
    const error = { code: 'AGENT_ERROR', message: 'no' };
    for (const state of ['queued', 'failed', 'unknown', 'accepted', 'done'] as const)
      await store.insertMessage(makeMessage('s', state, { state, error: state === 'failed' ? error : null }));
    const cancel = (id: string) => cancelMessage(desk, 's', id, 'somebody');
    expect(await cancel('queued')).toMatchObject({ state: 'cancelled' });
    for (const id of ['failed', 'unknown', 'unknown']) expect(await cancel(id)).toMatchObject({ state: 'dismissed' });
    expect(await store.getMessage('s', 'failed')).toMatchObject({ state: 'dismissed', error });
    for (const id of ['accepted', 'done']) await expect(cancel(id)).rejects.toMatchObject({ code: 'MESSAGE_GONE' });
    const actions = (await store.readAudit({ limit: 10 })).map(({ action }) => action).sort();
    expect(actions).toEqual(['message.cancel', 'message.dismiss', 'message.dismiss']);
  });
});

describe('a session whose keeper has just ended', () => {
  const gone = async () => {
    throw new DaemonError('KEEPER_GONE', 'the connection to keeper 7 is lost');
  };

  async function lostDesk(): Promise<Desk> {
    const desk = makeDesk();
    await store.insertSession(makeSession('s', { keeperPid: 7 }));
    const live = await liveSession(gone);
    live.projector.recall([{ type: 'turn_start', origin: 'user', ...envelope, seq: 2 }]);
    desk.live.set('s', live);
    return desk;
  }

  it('refuses an interrupt and a steer, because no turn is running', async () => {
    const desk = await lostDesk();
    const noTurn = { code: 'NO_TURN', hint: expect.any(String) };
    await expect(interruptSession(desk, 's', 'somebody')).rejects.toMatchObject(noTurn);
    await expect(sendMessage(desk, 's', { id: 'm1', text: 'x', mode: 'steer' }, 'a')).rejects.toMatchObject(noTurn);
    expect(await store.getMessage('s', 'm1')).toMatchObject({ state: 'failed', error: { code: 'NO_TURN' } });
  });

  it('refuses an answer as one to a closed request, and stores nothing of it', async () => {
    const desk = await lostDesk();
    await store.commit([makeCommit('s', 0, 0, { requests: [makeRequest('s', 'r1', { launch: 1 })] })]);
    const answered = answerRequest(desk, 'r1', { decision: 'allow' }, 'somebody');
    await expect(answered).rejects.toMatchObject({ code: 'REQUEST_CLOSED', hint: expect.any(String) });
    expect(await store.getRequest('r1')).toMatchObject({ state: 'open', by: null, answer: null });
  });

  it('stores a change of its model for the next launch', async () => {
    const desk = await lostDesk();
    await changeSession(desk, 's', { model: 'larger' }, 'somebody');
    expect(await store.getSession('s')).toMatchObject({ model: 'larger', options: { model: 'larger' } });
  });
});
