import { expect, it } from 'vitest';
import type { OpenForTest } from '../store-suite.ts';
import { makeCommit, makeLimit, makeMessage, makeRequest, makeSession, NOON } from './made-up.ts';
import { useStore } from './use-store.ts';

export function describeSessions(open: OpenForTest): void {
  const store = useStore(open);

  it('are told more about beside what is known: nobody overwrites what another has added', async () => {
    await store().insertSession(makeSession('a', { metadata: { titleBy: 'user', title: 'old' } }));
    await store().updateSession('a', { addMetadata: { agentSessionId: 'n1' } });
    await store().commit([makeCommit('a', 0, 0, { session: { addMetadata: { title: 'new "x"' } } })]);
    expect((await store().getSession('a'))?.metadata).toEqual({
      titleBy: 'user',
      title: 'new "x"',
      agentSessionId: 'n1',
    });
  });

  it('come back as they were given, in every field', async () => {
    const full = makeSession('full', {
      mode: 'live',
      nativeId: 'native-1',
      title: 'Ein Titel mit Ümläuten 🎈',
      summary: 'line one\nline two',
      activity: 'blocked',
      activitySince: NOON + 1,
      isTerminated: true,
      parked: true,
      pinned: true,
      cwd: '/home/somebody/a folder',
      workspace: {
        kind: 'worktree',
        path: '/home/somebody/trees/1',
        repository: '/home/somebody/repo',
        branch: 'agent/1',
        base: 'abc123',
        baseBranch: null,
        removed: false,
        savedRef: 'refs/saved/1',
      },
      model: 'large',
      approvalMode: 'yolo',
      options: { systemPrompt: 'be kind', nested: { list: [1, null, 'x'] } },
      envNames: ['TOKEN', 'OTHER'],
      trustProject: true,
      launch: 3,
      keeperPid: 4711,
      lastSeq: 17,
      turns: 2,
      usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: null, cacheCreationTokens: 0, totalTokens: 3 },
      costUsd: 0.125,
      costSource: 'estimated',
      limit: makeLimit('l1', { state: 'waits', reason: 'of a test', continuesAt: NOON + 9 }),
      waitsFor: { kind: 'usage', message: 'of another', until: NOON },
      onLimit: 'wait',
      budget: { usd: 2.5, tokens: 1000 },
      account: 'demo/1234',
      error: { code: 'AGENT_ERROR', message: 'it broke', hint: 'mend it' },
      dismissed: NOON,
      lastLine: '$ ls',
      forkedFrom: 'other',
      tags: ['a', 'b'],
      metadata: { title: 'from a hook', agentSessionId: 'n' },
      createdAt: NOON - 3,
      updatedAt: NOON - 2,
      lastActiveAt: NOON - 1,
    });
    const inserted = await store().insertSession(full);
    expect(inserted).toEqual({ ...full, openRequests: 0, queuedMessages: 0, rev: expect.any(Number) });
    expect(await store().getSession('full')).toEqual(inserted);
    const plain = makeSession('plain');
    expect(await store().insertSession(plain)).toMatchObject({ ...plain, openRequests: 0, queuedMessages: 0 });
  });

  it('have an id that is used once', async () => {
    await store().insertSession(makeSession('a', { title: 'the first' }));
    await expect(store().insertSession(makeSession('a', { title: 'the second' }))).rejects.toMatchObject({
      name: 'StoreError',
      code: 'TAKEN',
    });
    expect(await store().getSession('a')).toMatchObject({ title: 'the first' });
  });

  it('that are not there are null', async () => {
    expect(await store().getSession('nobody')).toBeNull();
    expect(await store().updateSession('nobody', { title: 'x' })).toBeNull();
    expect(await store().deleteSession('nobody')).toBe(false);
    expect(await store().revision()).toBe(0);
  });

  it('are changed in the given fields alone, with a newer revision', async () => {
    const before = await store().insertSession(makeSession('a', { title: 'old', model: 'small', options: { x: 1 } }));
    const changed = await store().updateSession('a', { title: null, activity: 'active', limit: undefined });
    expect(changed).toEqual({ ...before, title: null, activity: 'active', rev: changed?.rev });
    expect(changed?.rev).toBeGreaterThan(before.rev);
    expect(await store().getSession('a')).toEqual(changed);
  });

  it('are changed together with their limit only while it is that one', async () => {
    await store().insertSession(makeSession('a', { limit: makeLimit('l1') }));
    const limit = makeLimit('l1', { state: 'waits' });
    expect(await store().updateWithLimit('a', 'l1', { limit })).toMatchObject({ limit });
    for (const other of ['l2', null]) expect(await store().updateWithLimit('a', other, { limit: null })).toBeNull();
    expect(await store().getSession('a')).toMatchObject({ limit });
    expect(await store().updateWithLimit('a', 'l1', { limit: null })).toMatchObject({ limit: null });
    expect(await store().updateWithLimit('a', null, { limit: makeLimit('l3') })).toMatchObject({ limit: { id: 'l3' } });
    expect(await store().updateWithLimit('nobody', null, { limit })).toBeNull();
  });

  it('refuse a value that no session has, and stay as they are', async () => {
    const before = await store().insertSession(makeSession('a'));
    await expect(store().updateSession('a', { activitySince: 0.5 })).rejects.toThrow(/activitySince/);
    await expect(store().insertSession(makeSession('NOT AN ID'))).rejects.toThrow(/id/);
    expect(await store().getSession('a')).toEqual(before);
    expect(await store().revision()).toBe(before.rev);
  });

  it('count their open requests and queued messages, and have a newer revision when those change', async () => {
    let last = (await store().insertSession(makeSession('a'))).rev;
    const expectCounts = async (openRequests: number, queuedMessages: number) => {
      const session = await store().getSession('a');
      expect(session).toMatchObject({ openRequests, queuedMessages });
      expect(session?.rev).toBeGreaterThan(last);
      last = session?.rev ?? 0;
    };
    await store().insertMessage(makeMessage('a', 'm1'));
    await expectCounts(0, 1);
    await store().insertMessage(makeMessage('a', 'm2'));
    await expectCounts(0, 2);
    await store().updateMessage('a', 'm1', { state: 'accepted' });
    await expectCounts(0, 1);
    await store().commit([makeCommit('a', 0, 0, { requests: [makeRequest('a', 'r1'), makeRequest('a', 'r2')] })]);
    await expectCounts(2, 1);
    await store().updateRequest('r1', { state: 'answered' });
    await expectCounts(1, 1);
    await store().commit([
      makeCommit('a', 1, 1, {
        requestChanges: [{ id: 'r2', change: { state: 'cancelled' } }],
        messageChanges: [{ id: 'm2', change: { state: 'accepted' } }],
      }),
    ]);
    await expectCounts(0, 0);
  });

  it('are unfinished while they have not ended or have something queued', async () => {
    await store().insertSession(makeSession('live'));
    await store().insertSession(makeSession('parked', { parked: true }));
    await store().insertSession(makeSession('ended', { isTerminated: true }));
    await store().insertSession(makeSession('wanted', { isTerminated: true }));
    await store().insertMessage(makeMessage('wanted', 'm'));
    const ids = async () => (await store().listUnfinished()).map(({ id }) => id).sort();
    expect(await ids()).toEqual(['live', 'parked', 'wanted']);
    await store().updateMessage('wanted', 'm', { state: 'cancelled' });
    expect(await ids()).toEqual(['live', 'parked']);
  });

  it('are deleted with all that is theirs, and nothing else', async () => {
    for (const id of ['a', 'b']) {
      await store().insertSession(makeSession(id));
      await store().insertMessage(makeMessage(id, 'm'));
      await store().commit([makeCommit(id, 0, 9, { requests: [makeRequest(id, `r${id}`)] })]);
    }
    expect(await store().deleteSession('a')).toBe(true);
    expect(await store().getSession('a')).toBeNull();
    expect(await store().getMessage('a', 'm')).toBeNull();
    expect(await store().getRequest('ra')).toBeNull();
    expect((await store().readEvents('a', -1, 100)).lines).toEqual([]);
    expect(await store().getSession('b')).toMatchObject({ openRequests: 1, queuedMessages: 1, lastSeq: 9 });
    expect((await store().readEvents('b', -1, 100)).lines).toHaveLength(10);
    expect(await store().stats()).toMatchObject({ sessions: 1, events: 10 });
    expect(await store().deleteSession('a')).toBe(false);
  });

  it('begin anew under an id that was deleted', async () => {
    await store().insertSession(makeSession('a'));
    await store().commit([makeCommit('a', 0, 9)]);
    await store().deleteSession('a');
    await store().insertSession(makeSession('a'));
    await store().commit([makeCommit('a', 0, 1)]);
    expect((await store().readEvents('a', -1, 100)).lines).toHaveLength(2);
  });
}
