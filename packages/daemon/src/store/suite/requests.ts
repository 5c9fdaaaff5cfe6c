import { expect, it } from 'vitest';
import type { OpenForTest } from '../store-suite.ts';
import { createCommit, createRequest, createSession, NOON } from './fixtures.ts';
import { useStore } from './use-store.ts';

export function describeRequests(open: OpenForTest): void {
  const store = useStore(open);
  const idsOf = async (query: Partial<Parameters<ReturnType<typeof store>['listRequests']>[0]> = {}) =>
    (await store().listRequests({ limit: 100, ...query })).rows.map(({ id }) => id);

  it('are returned as inserted and change only in the given fields', async () => {
    await store().insertSession(createSession('a'));
    const options = createRequest('a', 'r', {
      kind: 'question',
      event: { type: 'input_required', list: [1, { x: null }] },
    });
    await store().commit([createCommit('a', 0, 0, { requests: [options] })]);
    const request = await store().getRequest('r');
    expect(request).toEqual({ ...options, rev: expect.any(Number) });
    const change = {
      state: 'answered',
      outcome: 'answered',
      by: 'a person',
      answer: { decision: 'answer', answers: { q: ['yes'] } },
      resolvedAt: NOON + 3,
    } as const;
    const changed = await store().updateRequest('r', change);
    expect(changed).toEqual({ ...options, ...change, rev: changed?.rev });
    expect(changed?.rev).toBeGreaterThan(request?.rev ?? 0);
    expect(await store().updateRequest('other', { state: 'expired' })).toBeNull();
    expect(await store().getRequest('other')).toBeNull();
  });

  it('are listed oldest first, by session, state and id prefix', async () => {
    await store().insertSession(createSession('a'));
    await store().insertSession(createSession('b'));
    await store().commit([
      createCommit('a', 0, 0, {
        requests: [
          createRequest('a', 'x2', { createdAt: NOON + 2 }),
          createRequest('a', 'x1', { createdAt: NOON + 1 }),
        ],
      }),
      createCommit('b', 0, 0, { requests: [createRequest('b', 'y0')] }),
    ]);
    await store().updateRequest('x1', { state: 'expired' });
    expect(await idsOf()).toEqual(['y0', 'x1', 'x2']);
    expect(await idsOf({ sessionId: 'a' })).toEqual(['x1', 'x2']);
    expect(await idsOf({ state: 'open' })).toEqual(['y0', 'x2']);
    expect(await idsOf({ id: 'x' })).toEqual(['x1', 'x2']);
    expect(await idsOf({ id: 'x', state: 'expired', sessionId: 'a' })).toEqual(['x1']);
  });

  it('come in pages that stay valid while requests are added and removed', async () => {
    await store().insertSession(createSession('a'));
    const requests = ['a', 'b', 'c', 'd', 'e'].map((id) => createRequest('a', id));
    await store().commit([createCommit('a', 0, 0, { requests })]);
    const first = await store().listRequests({ limit: 2, state: 'open' });
    expect(first.rows.map(({ id }) => id)).toEqual(['a', 'b']);
    await store().updateRequest('b', { state: 'answered' });
    await store().updateRequest('d', { state: 'answered' });
    await store().commit([createCommit('a', 1, 1, { requests: [createRequest('a', 'f', { createdAt: NOON + 1 })] })]);
    const second = await store().listRequests({ limit: 2, state: 'open', cursor: first.nextCursor ?? '' });
    expect(second.rows.map(({ id }) => id)).toEqual(['c', 'e']);
    const third = await store().listRequests({ limit: 2, state: 'open', cursor: second.nextCursor ?? '' });
    expect(third.rows.map(({ id }) => id)).toEqual(['f']);
    expect(third.nextCursor).toBeNull();
  });
}
