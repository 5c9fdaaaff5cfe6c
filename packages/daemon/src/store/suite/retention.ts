import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { StoredSession } from '../store.ts';
import type { OpenForTest } from '../store-suite.ts';
import { makeCommit, makeMessage, makeSession, NOON } from './made-up.ts';
import { useStore } from './use-store.ts';

const HALF_A_MEGABYTE = 512 * 1024;

export function describeRetention(open: OpenForTest): void {
  const store = useStore(open);
  const addEnded = (id: string, lastActiveAt: number, given: Partial<StoredSession> = {}) =>
    store().insertSession(makeSession(id, { isTerminated: true, activity: 'exited', lastActiveAt, ...given }));
  const idsLeft = async () => (await store().listSessions({ limit: 100 })).rows.map(({ id }) => id).sort();
  /** Random, so that it takes its room however it is stored. */
  const fill = (id: string) =>
    store().commit([
      makeCommit(id, 0, 0, {
        lines: [{ seq: 0, line: JSON.stringify(randomBytes(HALF_A_MEGABYTE).toString('base64')) }],
      }),
    ]);

  it('drops sessions that are older, oldest first, and tells which', async () => {
    await addEnded('b', NOON - 1);
    await addEnded('a', NOON - 2);
    await addEnded('c', NOON);
    expect(await store().retain({ olderThan: NOON })).toEqual({ sessions: ['a', 'b'] });
    expect(await idsLeft()).toEqual(['c']);
    expect(await store().retain({ olderThan: NOON })).toEqual({ sessions: [] });
  });

  it('never drops one that has not ended, is pinned, or has something queued', async () => {
    await store().insertSession(makeSession('live', { lastActiveAt: 0 }));
    await store().insertSession(makeSession('parked', { lastActiveAt: 0, parked: true }));
    await addEnded('pinned', 0, { pinned: true });
    await addEnded('wanted', 0);
    await store().insertMessage(makeMessage('wanted', 'm'));
    await addEnded('old', 0);
    expect(await store().retain({ olderThan: NOON, maxBytes: 0 })).toEqual({ sessions: ['old'] });
    expect(await idsLeft()).toEqual(['live', 'parked', 'pinned', 'wanted']);
  });

  it('drops the oldest until all fits, and gives the space back', async () => {
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) {
      await addEnded(id, NOON + at);
      await fill(id);
    }
    await store().insertSession(makeSession('live', { lastActiveAt: 0 }));
    const { bytes } = await store().stats();
    expect(bytes).toBeGreaterThan(4 * HALF_A_MEGABYTE);
    expect(await store().retain({ maxBytes: bytes })).toEqual({ sessions: [] });
    expect(await store().retain({ maxBytes: bytes - HALF_A_MEGABYTE - 1 })).toEqual({ sessions: ['a', 'b'] });
    expect(await idsLeft()).toEqual(['c', 'd', 'live']);
    expect((await store().stats()).bytes).toBeLessThan(bytes - 2 * HALF_A_MEGABYTE);
    expect((await store().readEvents('c', -1, 1)).lines).toHaveLength(1);
  });

  it('tells what it has dropped as changes, and keeps the sums', async () => {
    await addEnded('a', NOON - 1);
    const usage = { inputTokens: 1, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, totalTokens: 1 };
    const delta = { day: '2026-11-16', agent: 'demo', model: 'm', project: 'p', usage, costUsd: 1, estimated: false };
    await store().commit([makeCommit('a', 0, 0, { usage: [delta] })]);
    const after = await store().revision();
    await store().retain({ olderThan: NOON });
    expect((await store().readChanges(after, 10)).changes).toMatchObject([{ kind: 'session', id: 'a', value: null }]);
    expect(await store().readUsage({ by: 'day' })).toMatchObject([{ inputTokens: 1, costUsd: 1 }]);
  });

  it('drops old audit entries, but not of a session that is there', async () => {
    await store().insertSession(makeSession('live'));
    const entries = [
      { sessionId: null, time: NOON - 1 },
      { sessionId: 'gone', time: NOON - 1 },
      { sessionId: 'live', time: NOON - 1 },
      { sessionId: null, time: NOON },
    ];
    for (const entry of entries) await store().appendAudit({ who: 'x', action: 'y', detail: {}, ...entry });
    await store().retain({ olderThan: NOON });
    expect(await store().readAudit({ limit: 10 })).toMatchObject(entries.slice(2));
  });
}
