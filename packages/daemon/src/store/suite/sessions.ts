import { expect, it } from 'vitest';
import type { OpenForTest } from '../store-suite.ts';
import { createCommit, createLimit, createMessage, createRequest, createSession, NOON } from './fixtures.ts';
import { useStore } from './use-store.ts';

export function describeSessions(open: OpenForTest): void {
  const store = useStore(open);

  it('merge added metadata without overwriting other keys', async () => {
    await store().insertSession(createSession('a', { metadata: { titleBy: 'user', title: 'old' } }));
    await store().updateSession('a', { addMetadata: { agentSessionId: 'n1' } });
    await store().commit([createCommit('a', 0, 0, { session: { addMetadata: { title: 'new "x"' } } })]);
    expect((await store().getSession('a'))?.metadata).toEqual({
      titleBy: 'user',
      title: 'new "x"',
      agentSessionId: 'n1',
    });
  });

  it('are returned as inserted, in every field', async () => {
    const full = createSession('full', {
      mode: 'live',
      agentSessionId: 'native-1',
      title: 'Ein Titel mit Ümläuten 🎈',
      summary: 'line one\nline two',
      activity: 'blocked',
      activitySince: NOON + 1,
      isTerminated: true,
      parked: true,
      pinned: true,
      cwd: '/home/user/a folder',
      workspace: {
        kind: 'worktree',
        path: '/home/user/trees/1',
        repository: '/home/user/repo',
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
      limit: createLimit('l1', { state: 'scheduled', reason: 'of a test', continuesAt: NOON + 9 }),
      waitingFor: { kind: 'usage', message: 'of another', until: NOON },
      onLimit: 'continue',
      budget: { usd: 2.5, tokens: 1000 },
      account: 'demo/1234',
      error: { code: 'AGENT_ERROR', message: 'it broke', hint: 'fix it' },
      dismissed: NOON,
      statusText: '$ ls',
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
    const plain = createSession('plain');
    expect(await store().insertSession(plain)).toMatchObject({ ...plain, openRequests: 0, queuedMessages: 0 });
  });

  it('have a unique id', async () => {
    await store().insertSession(createSession('a', { title: 'the first' }));
    await expect(store().insertSession(createSession('a', { title: 'the second' }))).rejects.toMatchObject({
      name: 'StoreError',
      code: 'EXISTS',
    });
    expect(await store().getSession('a')).toMatchObject({ title: 'the first' });
  });

  it('are null if they do not exist', async () => {
    expect(await store().getSession('missing')).toBeNull();
    expect(await store().updateSession('missing', { title: 'x' })).toBeNull();
    expect(await store().deleteSession('missing')).toBe(false);
    expect(await store().revision()).toBe(0);
  });

  it('change only in the given fields, with a newer revision', async () => {
    const before = await store().insertSession(createSession('a', { title: 'old', model: 'small', options: { x: 1 } }));
    const changed = await store().updateSession('a', { title: null, activity: 'active', limit: undefined });
    expect(changed).toEqual({ ...before, title: null, activity: 'active', rev: changed?.rev });
    expect(changed?.rev).toBeGreaterThan(before.rev);
    expect(await store().getSession('a')).toEqual(changed);
  });

  it('change with their limit only while it is the same limit', async () => {
    await store().insertSession(createSession('a', { limit: createLimit('l1') }));
    const limit = createLimit('l1', { state: 'scheduled' });
    expect(await store().updateWithLimit('a', 'l1', { limit })).toMatchObject({ limit });
    for (const other of ['l2', null]) expect(await store().updateWithLimit('a', other, { limit: null })).toBeNull();
    expect(await store().getSession('a')).toMatchObject({ limit });
    expect(await store().updateWithLimit('a', 'l1', { limit: null })).toMatchObject({ limit: null });
    expect(await store().updateWithLimit('a', null, { limit: createLimit('l3') })).toMatchObject({
      limit: { id: 'l3' },
    });
    expect(await store().updateWithLimit('missing', null, { limit })).toBeNull();
  });

  it('reject invalid values without changes', async () => {
    const before = await store().insertSession(createSession('a'));
    await expect(store().updateSession('a', { activitySince: 0.5 })).rejects.toThrow(/activitySince/);
    await expect(store().insertSession(createSession('NOT AN ID'))).rejects.toThrow(/id/);
    expect(await store().getSession('a')).toEqual(before);
    expect(await store().revision()).toBe(before.rev);
  });

  it('count open requests and queued messages, with a newer revision on change', async () => {
    let last = (await store().insertSession(createSession('a'))).rev;
    const expectCounts = async (openRequests: number, queuedMessages: number) => {
      const session = await store().getSession('a');
      expect(session).toMatchObject({ openRequests, queuedMessages });
      expect(session?.rev).toBeGreaterThan(last);
      last = session?.rev ?? 0;
    };
    await store().insertMessage(createMessage('a', 'm1'));
    await expectCounts(0, 1);
    await store().insertMessage(createMessage('a', 'm2'));
    await expectCounts(0, 2);
    await store().updateMessage('a', 'm1', { state: 'accepted' });
    await expectCounts(0, 1);
    await store().commit([createCommit('a', 0, 0, { requests: [createRequest('a', 'r1'), createRequest('a', 'r2')] })]);
    await expectCounts(2, 1);
    await store().updateRequest('r1', { state: 'answered' });
    await expectCounts(1, 1);
    await store().commit([
      createCommit('a', 1, 1, {
        requestChanges: [{ id: 'r2', change: { state: 'cancelled' } }],
        messageChanges: [{ id: 'm2', change: { state: 'accepted' } }],
      }),
    ]);
    await expectCounts(0, 0);
  });

  it('are unfinished while running or with queued messages', async () => {
    await store().insertSession(createSession('live'));
    await store().insertSession(createSession('parked', { parked: true }));
    await store().insertSession(createSession('ended', { isTerminated: true }));
    await store().insertSession(createSession('wanted', { isTerminated: true }));
    await store().insertMessage(createMessage('wanted', 'm'));
    const ids = async () => (await store().listUnfinished()).map(({ id }) => id).sort();
    expect(await ids()).toEqual(['live', 'parked', 'wanted']);
    await store().updateMessage('wanted', 'm', { state: 'cancelled' });
    expect(await ids()).toEqual(['live', 'parked']);
  });

  it('are deleted with all their rows and nothing else', async () => {
    for (const id of ['a', 'b']) {
      await store().insertSession(createSession(id));
      await store().insertMessage(createMessage(id, 'm'));
      await store().commit([createCommit(id, 0, 9, { requests: [createRequest(id, `r${id}`)] })]);
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

  it('start fresh under a deleted id', async () => {
    await store().insertSession(createSession('a'));
    await store().commit([createCommit('a', 0, 9)]);
    await store().deleteSession('a');
    await store().insertSession(createSession('a'));
    await store().commit([createCommit('a', 0, 1)]);
    expect((await store().readEvents('a', -1, 100)).lines).toHaveLength(2);
  });
}
