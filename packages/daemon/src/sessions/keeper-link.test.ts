import { describe, expect, it } from 'vitest';
import type { KeeperConnection, KeeperListener } from '../keeper/connect-keeper.ts';
import { KeeperError } from '../keeper/keeper-error.ts';
import type { KeeperRecord, Launch } from '../keeper/protocol.ts';
import { openLink } from './keeper-link.ts';

/** A keeper that refuses everything with this code, and what was heard and done on the connection to it. */
async function linkTo(code: string) {
  const heard: string[] = [];
  let tell: KeeperListener | undefined;
  const record = { pid: 1, startTime: '2' } as KeeperRecord;
  const connection: KeeperConnection = {
    record,
    welcome: { protocol: 2, version: '', pid: 1, sessions: [] },
    order: () => Promise.reject(new KeeperError(code, 'no')),
    acknowledge: () => {},
    pause: () => {},
    resume: () => {},
    close: () => void heard.push('closed'),
  };
  const open = async (listener: KeeperListener) => {
    tell = listener;
    return connection;
  };
  const { link, begin } = await openLink(open, {
    events: async ({ sessionId, launch }) => void heard.push(`events of ${sessionId}-${launch}`),
    ended: async () => {},
    trouble: () => {},
    gone: () => void heard.push('gone'),
    failed: () => void heard.push('failed'),
  });
  begin();
  return { heard, link, tell: tell! };
}

const open = { type: 'open', launch: {} as Launch, after: -1 } as const;
const isOver = () => new Promise((resolve) => setImmediate(resolve));

describe('a keeper that several sessions share', () => {
  it('is connected to anew where it did not say in time whether it opened another, after all that it has told', async () => {
    const { heard, link, tell } = await linkTo('TIMEOUT');
    tell.events({ type: 'events', sessionId: 's1', launch: 2, from: 0, lines: ['{}'] });
    await expect(link.order(open)).rejects.toMatchObject({ code: 'KEEPER_UNREACHABLE' });
    await isOver();
    expect(heard).toEqual(['events of s1-2', 'closed', 'gone']);
  });

  it('stays connected where it says that it cannot, and where any other order takes too long', async () => {
    const leaving = await linkTo('KEEPER_GONE');
    await expect(leaving.link.order(open)).rejects.toMatchObject({ code: 'KEEPER_GONE' });
    const slow = await linkTo('TIMEOUT');
    await expect(slow.link.order({ type: 'interrupt', sessionId: 's1' })).rejects.toThrow('no');
    await isOver();
    expect([...leaving.heard, ...slow.heard]).toEqual([]);
  });
});
