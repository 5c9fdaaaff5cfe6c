import { expect, it } from 'vitest';
import type { Store } from '../store.ts';
import type { OpenForTest } from '../store-suite.ts';
import { createSession, NOON } from './fixtures.ts';
import { useStore } from './use-store.ts';

export function describeSessionLists(open: OpenForTest): void {
  const store = useStore(open);
  const idsOf = async (query: Partial<Parameters<Store['listSessions']>[0]> = {}) =>
    (await store().listSessions({ limit: 100, ...query })).rows.map(({ id }) => id);

  it('are sorted by pinned, then newest, then id', async () => {
    await store().insertSession(createSession('old', { lastActiveAt: NOON - 10 }));
    await store().insertSession(createSession('new', { lastActiveAt: NOON + 10 }));
    await store().insertSession(createSession('sameb', { lastActiveAt: NOON }));
    await store().insertSession(createSession('samea', { lastActiveAt: NOON }));
    await store().insertSession(createSession('pinned', { lastActiveAt: NOON - 100, pinned: true }));
    expect(await idsOf()).toEqual(['pinned', 'new', 'samea', 'sameb', 'old']);
  });

  it('are filtered by each field and by all of them together', async () => {
    await store().insertSession(createSession('a1', { agent: 'claude', activity: 'active', cwd: '/one' }));
    await store().insertSession(createSession('a2', { agent: 'codex', activity: 'idle', cwd: '/two', pinned: true }));
    await store().insertSession(
      createSession('b1', { agent: 'codex', activity: 'exited', cwd: '/two', isTerminated: true }),
    );
    expect(await idsOf({ agent: 'codex' })).toEqual(['a2', 'b1']);
    expect(await idsOf({ activity: 'idle' })).toEqual(['a2']);
    expect(await idsOf({ activity: 'active, exited' })).toEqual(['a1', 'b1']);
    expect(await idsOf({ cwd: '/two' })).toEqual(['a2', 'b1']);
    expect(await idsOf({ cwd: '/tw' })).toEqual([]);
    expect(await idsOf({ id: 'a' })).toEqual(['a2', 'a1']);
    expect(await idsOf({ id: 'a1' })).toEqual(['a1']);
    expect(await idsOf({ id: '%' })).toEqual([]);
    expect(await idsOf({ pinned: true })).toEqual(['a2']);
    expect(await idsOf({ pinned: false })).toEqual(['a1', 'b1']);
    expect(await idsOf({ terminated: true })).toEqual(['b1']);
    expect(await idsOf({ terminated: false })).toEqual(['a2', 'a1']);
    expect(await idsOf({ agent: 'codex', terminated: false, id: 'a' })).toEqual(['a2']);
  });

  it('match a prefix of the agent session id', async () => {
    await store().insertSession(createSession('a1', { agent: 'claude', agentSessionId: '0b2f61f6-3c1c' }));
    await store().insertSession(createSession('a2', { agent: 'codex', agentSessionId: '0b2f9999' }));
    await store().insertSession(createSession('a3', { agent: 'codex', agentSessionId: null }));
    expect(await idsOf({ nativeIdPrefix: '0b2f61' })).toEqual(['a1']);
    expect(await idsOf({ nativeIdPrefix: '0b2f', agent: 'codex' })).toEqual(['a2']);
    expect((await idsOf({ nativeIdPrefix: '0b2f' })).toSorted()).toEqual(['a1', 'a2']);
    expect(await idsOf({ nativeIdPrefix: '%' })).toEqual([]);
  });

  it('find text in title, summary, folder and id, without case or wildcards', async () => {
    await store().insertSession(createSession('t1', { title: 'Ärger mit 100%' }));
    await store().insertSession(createSession('t2', { summary: 'All tests are GREEN' }));
    await store().insertSession(createSession('t3', { cwd: '/srv/Website' }));
    await store().insertSession(createSession('xyz4'));
    expect(await idsOf({ text: 'ärger' })).toEqual(['t1']);
    expect(await idsOf({ text: '100%' })).toEqual(['t1']);
    expect(await idsOf({ text: 'green' })).toEqual(['t2']);
    expect(await idsOf({ text: 'website' })).toEqual(['t3']);
    expect(await idsOf({ text: 'XYZ' })).toEqual(['xyz4']);
    expect(await idsOf({ text: '_' })).toEqual([]);
  });

  it('come in pages with every session once', async () => {
    const all = Array.from({ length: 25 }, (_, at) => `s${String(at).padStart(2, '0')}`);
    for (const [at, id] of all.entries()) {
      await store().insertSession(createSession(id, { lastActiveAt: NOON + (at % 4), pinned: at % 10 === 0 }));
    }
    const whole = await idsOf();
    const seen: string[] = [];
    let cursor: string | null | undefined;
    let pages = 0;
    do {
      const page = await store().listSessions({ limit: 10, ...(cursor ? { cursor } : {}) });
      seen.push(...page.rows.map(({ id }) => id));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== null);
    expect(pages).toBe(3);
    expect(seen).toEqual(whole);
    expect([...seen].sort()).toEqual(all);
  });

  it('have no further page if the last one is exactly full', async () => {
    await store().insertSession(createSession('a'));
    await store().insertSession(createSession('b'));
    expect((await store().listSessions({ limit: 2 })).nextCursor).toBeNull();
    expect((await store().listSessions({ limit: 1 })).nextCursor).not.toBeNull();
  });

  it('continue from a cursor while sessions are added and removed, even its own', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await store().insertSession(createSession(id));
    const first = await store().listSessions({ limit: 3 });
    expect(first.rows.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    await store().deleteSession('c');
    await store().deleteSession('a');
    await store().deleteSession('e');
    await store().insertSession(createSession('aa'));
    await store().insertSession(createSession('dd'));
    await store().updateSession('b', { lastActiveAt: NOON + 100 });
    const second = await store().listSessions({ limit: 10, cursor: first.nextCursor ?? '' });
    expect(second.rows.map(({ id }) => id)).toEqual(['d', 'dd', 'f']);
    expect(second.nextCursor).toBeNull();
  });

  it('reject an invalid cursor', async () => {
    for (const cursor of ['', 'x', 'bnVsbA', Buffer.from('["a","b","c"]').toString('base64url')]) {
      await expect(store().listSessions({ limit: 3, cursor })).rejects.toMatchObject({ code: 'CURSOR' });
      await expect(store().listRequests({ limit: 3, cursor })).rejects.toMatchObject({ code: 'CURSOR' });
    }
  });
}
