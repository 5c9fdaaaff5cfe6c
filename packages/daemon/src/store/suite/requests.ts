import { expect, it } from 'vitest';
import type { OpenForTest } from '../store-suite.ts';
import { makeCommit, makeRequest, makeSession, NOON } from './made-up.ts';
import { useStore } from './use-store.ts';

export function describeRequests(open: OpenForTest): void {
  const store = useStore(open);
  const idsOf = async (query: Partial<Parameters<ReturnType<typeof store>['listRequests']>[0]> = {}) =>
    (await store().listRequests({ limit: 100, ...query })).rows.map(({ id }) => id);

  it('come back as they were given, and change in the given fields alone', async () => {
    await store().insertSession(makeSession('a'));
    const given = makeRequest('a', 'r', {
      kind: 'question',
      event: { type: 'input_required', list: [1, { x: null }] },
    });
    await store().commit([makeCommit('a', 0, 0, { requests: [given] })]);
    const request = await store().getRequest('r');
    expect(request).toEqual({ ...given, rev: expect.any(Number) });
    const change = {
      state: 'answered',
      outcome: 'answered',
      by: 'a person',
      answer: { decision: 'answer', answers: { q: ['yes'] } },
      resolvedAt: NOON + 3,
    } as const;
    const changed = await store().updateRequest('r', change);
    expect(changed).toEqual({ ...given, ...change, rev: changed?.rev });
    expect(changed?.rev).toBeGreaterThan(request?.rev ?? 0);
    expect(await store().updateRequest('other', { state: 'expired' })).toBeNull();
    expect(await store().getRequest('other')).toBeNull();
  });

  it('are listed oldest first, by session, state and the beginning of an id', async () => {
    await store().insertSession(makeSession('a'));
    await store().insertSession(makeSession('b'));
    await store().commit([
      makeCommit('a', 0, 0, {
        requests: [makeRequest('a', 'x2', { createdAt: NOON + 2 }), makeRequest('a', 'x1', { createdAt: NOON + 1 })],
      }),
      makeCommit('b', 0, 0, { requests: [makeRequest('b', 'y0')] }),
    ]);
    await store().updateRequest('x1', { state: 'expired' });
    expect(await idsOf()).toEqual(['y0', 'x1', 'x2']);
    expect(await idsOf({ sessionId: 'a' })).toEqual(['x1', 'x2']);
    expect(await idsOf({ state: 'open' })).toEqual(['y0', 'x2']);
    expect(await idsOf({ id: 'x' })).toEqual(['x1', 'x2']);
    expect(await idsOf({ id: 'x', state: 'expired', sessionId: 'a' })).toEqual(['x1']);
  });

  it('come in pages that stay valid while requests come and go', async () => {
    await store().insertSession(makeSession('a'));
    const requests = ['a', 'b', 'c', 'd', 'e'].map((id) => makeRequest('a', id));
    await store().commit([makeCommit('a', 0, 0, { requests })]);
    const first = await store().listRequests({ limit: 2, state: 'open' });
    expect(first.rows.map(({ id }) => id)).toEqual(['a', 'b']);
    await store().updateRequest('b', { state: 'answered' });
    await store().updateRequest('d', { state: 'answered' });
    await store().commit([makeCommit('a', 1, 1, { requests: [makeRequest('a', 'f', { createdAt: NOON + 1 })] })]);
    const second = await store().listRequests({ limit: 2, state: 'open', cursor: first.cursor ?? '' });
    expect(second.rows.map(({ id }) => id)).toEqual(['c', 'e']);
    const third = await store().listRequests({ limit: 2, state: 'open', cursor: second.cursor ?? '' });
    expect(third.rows.map(({ id }) => id)).toEqual(['f']);
    expect(third.cursor).toBeNull();
  });
}
