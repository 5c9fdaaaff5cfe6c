import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { StoredSession } from '../store.ts';
import type { OpenForTest } from '../store-suite.ts';
import { createCommit, createMessage, createSession, NOON } from './fixtures.ts';
import { useStore } from './use-store.ts';

const HALF_A_MEGABYTE = 512 * 1024;

export function describeRetention(open: OpenForTest): void {
  const store = useStore(open);
  const addEnded = (id: string, lastActiveAt: number, options: Partial<StoredSession> = {}) =>
    store().insertSession(createSession(id, { isTerminated: true, activity: 'exited', lastActiveAt, ...options }));
  const idsLeft = async () => (await store().listSessions({ limit: 100 })).rows.map(({ id }) => id).sort();
  /** Random, so that it does not compress. */
  const fill = (id: string) =>
    store().commit([
      createCommit(id, 0, 0, {
        lines: [{ seq: 0, line: JSON.stringify(randomBytes(HALF_A_MEGABYTE).toString('base64')) }],
      }),
    ]);

  it('deletes old sessions, oldest first, and returns their ids', async () => {
    await addEnded('b', NOON - 1);
    await addEnded('a', NOON - 2);
    await addEnded('c', NOON);
    expect(await store().retain({ olderThan: NOON })).toEqual({ sessions: ['a', 'b'] });
    expect(await idsLeft()).toEqual(['c']);
    expect(await store().retain({ olderThan: NOON })).toEqual({ sessions: [] });
  });

  it('never deletes a session that is running, pinned, or has queued messages', async () => {
    await store().insertSession(createSession('live', { lastActiveAt: 0 }));
    await store().insertSession(createSession('parked', { lastActiveAt: 0, parked: true }));
    await addEnded('pinned', 0, { pinned: true });
    await addEnded('wanted', 0);
    await store().insertMessage(createMessage('wanted', 'm'));
    await addEnded('old', 0);
    expect(await store().retain({ olderThan: NOON, maxBytes: 0 })).toEqual({ sessions: ['old'] });
    expect(await idsLeft()).toEqual(['live', 'parked', 'pinned', 'wanted']);
  });

  it('deletes the oldest sessions until the size fits and frees the space', async () => {
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) {
      await addEnded(id, NOON + at);
      await fill(id);
    }
    await store().insertSession(createSession('live', { lastActiveAt: 0 }));
    const { bytes } = await store().stats();
    expect(bytes).toBeGreaterThan(4 * HALF_A_MEGABYTE);
    expect(await store().retain({ maxBytes: bytes })).toEqual({ sessions: [] });
    expect(await store().retain({ maxBytes: bytes - HALF_A_MEGABYTE - 1 })).toEqual({ sessions: ['a', 'b'] });
    expect(await idsLeft()).toEqual(['c', 'd', 'live']);
    expect((await store().stats()).bytes).toBeLessThan(bytes - 2 * HALF_A_MEGABYTE);
    expect((await store().readEvents('c', -1, 1)).lines).toHaveLength(1);
  });

  it('reports deleted sessions as changes and keeps usage totals', async () => {
    await addEnded('a', NOON - 1);
    const usage = { inputTokens: 1, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, totalTokens: 1 };
    const delta = { day: '2026-11-16', agent: 'demo', model: 'm', project: 'p', usage, costUsd: 1, estimated: false };
    await store().commit([createCommit('a', 0, 0, { usage: [delta] })]);
    const after = await store().revision();
    await store().retain({ olderThan: NOON });
    expect((await store().readChanges(after, 10)).changes).toMatchObject([{ kind: 'session', id: 'a', value: null }]);
    expect(await store().readUsage({ by: 'day' })).toMatchObject([{ inputTokens: 1, costUsd: 1 }]);
  });

  it('deletes old audit entries except those of existing sessions', async () => {
    await store().insertSession(createSession('live'));
    const entries = [
      { sessionId: null, timestamp: NOON - 1 },
      { sessionId: 'gone', timestamp: NOON - 1 },
      { sessionId: 'live', timestamp: NOON - 1 },
      { sessionId: null, timestamp: NOON },
    ];
    for (const entry of entries) await store().appendAudit({ actor: 'x', action: 'y', detail: {}, ...entry });
    await store().retain({ olderThan: NOON });
    expect(await store().readAudit({ limit: 10 })).toMatchObject(entries.slice(2));
  });
}
