import { describe, expect, it } from 'vitest';
import type { KeeperConnection, KeeperListener } from '../keeper/connect-keeper.ts';
import { KeeperError } from '../keeper/keeper-error.ts';
import type { KeeperRecord, LaunchSpec } from '../keeper/protocol.ts';
import { openLink } from './keeper-link.ts';

/** A keeper that refuses everything with this code, and a log of what happened on the connection. */
async function linkTo(code: string) {
  const log: string[] = [];
  let listening: KeeperListener | undefined;
  const record = { pid: 1, startTime: '2' } as KeeperRecord;
  const connection: KeeperConnection = {
    record,
    welcome: { protocol: 2, version: '', pid: 1, sessions: [] },
    order: () => Promise.reject(new KeeperError(code, 'no')),
    acknowledge: () => {},
    pause: () => {},
    resume: () => {},
    close: () => void log.push('closed'),
  };
  const open = async (listener: KeeperListener) => {
    listening = listener;
    return connection;
  };
  const { link, start } = await openLink(open, {
    events: async ({ sessionId, launch }) => void log.push(`events of ${sessionId}-${launch}`),
    ended: async () => {},
    storageError: () => {},
    gone: () => void log.push('gone'),
    failed: () => void log.push('failed'),
  });
  start();
  return { log, link, listener: listening! };
}

const open = { type: 'open', launch: {} as LaunchSpec, after: -1 } as const;
const isOver = () => new Promise((resolve) => setImmediate(resolve));

describe('shared keeper', () => {
  it('is reconnected when opening a session times out, after its earlier events are handled', async () => {
    const { log, link, listener } = await linkTo('TIMEOUT');
    listener.events({ type: 'events', sessionId: 's1', launch: 2, from: 0, lines: ['{}'] });
    await expect(link.request(open)).rejects.toMatchObject({ code: 'KEEPER_UNREACHABLE' });
    await isOver();
    expect(log).toEqual(['events of s1-2', 'closed', 'gone']);
  });

  it('stays connected when it refuses to open, or when another request times out', async () => {
    const leaving = await linkTo('KEEPER_GONE');
    await expect(leaving.link.request(open)).rejects.toMatchObject({ code: 'KEEPER_GONE' });
    const slow = await linkTo('TIMEOUT');
    await expect(slow.link.request({ type: 'interrupt', sessionId: 's1' })).rejects.toThrow('no');
    await isOver();
    expect([...leaving.log, ...slow.log]).toEqual([]);
  });
});
