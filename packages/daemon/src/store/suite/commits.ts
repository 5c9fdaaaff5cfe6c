import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { OpenForTest } from '../store-suite.ts';
import { createCommit, createMessage, createRequest, createSession, lineOf, linesOf, NOON } from './fixtures.ts';
import { useStore } from './use-store.ts';

const USAGE = { inputTokens: 5, outputTokens: 1, cacheReadTokens: null, cacheCreationTokens: null, totalTokens: 6 };
const DELTA = {
  day: '2026-11-16',
  agent: 'demo',
  model: 'm',
  project: 'p',
  usage: USAGE,
  costUsd: 1,
  estimated: false,
};

export function describeCommits(open: OpenForTest): void {
  const store = useStore(open);
  const allLines = async (id: string) => (await store().readEvents(id, -1, 1_000_000)).lines;

  it('store the events and the row changes that follow', async () => {
    await store().insertSession(createSession('a'));
    await store().insertMessage(createMessage('a', 'm'));
    const session = { activity: 'active', title: 'from the first words', lastActiveAt: NOON + 7 } as const;
    await store().commit([
      createCommit('a', 0, 4, {
        session,
        requests: [createRequest('a', 'r')],
        messageChanges: [{ id: 'm', change: { state: 'accepted', acceptedAt: NOON + 1 } }],
        usage: [DELTA],
        now: NOON + 9,
      }),
    ]);
    expect(await store().getSession('a')).toMatchObject({ ...session, lastSeq: 4, updatedAt: NOON + 9 });
    expect(await allLines('a')).toEqual(linesOf(0, 4).map(({ line }) => line));
    expect(await store().getRequest('r')).toMatchObject(createRequest('a', 'r'));
    expect(await store().getMessage('a', 'm')).toMatchObject({ state: 'accepted', acceptedAt: NOON + 1 });
    expect(await store().readUsage({ by: 'day' })).toMatchObject([{ key: '2026-11-16', inputTokens: 5, costUsd: 1 }]);
  });

  it('are idempotent', async () => {
    await store().insertSession(createSession('a'));
    const batch = createCommit('a', 0, 4, {
      session: { title: 'first' },
      requests: [createRequest('a', 'r')],
      usage: [DELTA],
    });
    await store().commit([batch]);
    await store().updateSession('a', { title: 'renamed' });
    await store().updateRequest('r', { state: 'answered', outcome: 'allowed' });
    const revision = await store().revision();
    await store().commit([batch, { ...batch, from: 2 }, { ...batch, from: 0, to: 3 }]);
    expect(await store().revision()).toBe(revision);
    expect(await store().getSession('a')).toMatchObject({ title: 'renamed', openRequests: 0, lastSeq: 4 });
    expect(await store().readUsage({ by: 'day' })).toMatchObject([{ inputTokens: 5, costUsd: 1 }]);
    expect(await allLines('a')).toHaveLength(5);
  });

  it('store the new part of an overlapping batch and count usage once', async () => {
    await store().insertSession(createSession('a'));
    await store().commit([
      createCommit('a', 0, 4, { requests: [createRequest('a', 'r')], usage: [{ ...DELTA, seq: 4 }] }),
    ]);
    await store().updateRequest('r', { state: 'answered', outcome: 'allowed' });
    await store().commit([
      createCommit('a', 3, 7, {
        requests: [createRequest('a', 'r')],
        usage: [
          { ...DELTA, seq: 4 },
          { ...DELTA, seq: 6 },
        ],
      }),
    ]);
    expect(await allLines('a')).toEqual(linesOf(0, 7).map(({ line }) => line));
    expect(await store().getRequest('r')).toMatchObject({ state: 'answered' });
    expect(await store().readUsage({ by: 'day' })).toMatchObject([{ inputTokens: 10, costUsd: 2 }]);
  });

  it('reject all batches if one has a gap', async () => {
    await store().insertSession(createSession('a'));
    await store().insertSession(createSession('b'));
    await store().commit([createCommit('a', 0, 4)]);
    const revision = await store().revision();
    const together = [createCommit('b', 0, 3, { session: { title: 'lost' } }), createCommit('a', 6, 7)];
    await expect(store().commit(together)).rejects.toMatchObject({ name: 'StoreError', code: 'GAP' });
    expect(await store().revision()).toBe(revision);
    expect(await store().getSession('b')).toMatchObject({ lastSeq: -1, title: null });
    expect(await allLines('b')).toEqual([]);
    await store().commit([createCommit('b', 0, 3), createCommit('a', 5, 7)]);
    expect(await allLines('a')).toHaveLength(8);
    expect(await allLines('b')).toHaveLength(4);
  });

  it('apply batches of one or several sessions in order', async () => {
    await store().insertSession(createSession('a'));
    await store().insertSession(createSession('b'));
    await store().commit([createCommit('a', 0, 1), createCommit('b', 0, 2), createCommit('a', 2, 5)]);
    expect(await store().getSession('a')).toMatchObject({ lastSeq: 5 });
    expect(await store().getSession('b')).toMatchObject({ lastSeq: 2 });
    expect(await allLines('a')).toEqual(linesOf(0, 5).map(({ line }) => line));
  });

  it('may omit lines that are not stored', async () => {
    await store().insertSession(createSession('a'));
    const some = [1, 4, 5].map((seq) => ({ seq, line: lineOf(seq) }));
    await store().commit([createCommit('a', 0, 9, { lines: some })]);
    await store().commit([createCommit('a', 10, 19, { lines: [] })]);
    expect(await store().getSession('a')).toMatchObject({ lastSeq: 19 });
    expect(await store().readEvents('a', 1, 10)).toEqual({ lines: [lineOf(4), lineOf(5)], lastSeq: 5, hasMore: false });
    expect(await store().readEvents('a', 5, 10)).toEqual({ lines: [], lastSeq: 5, hasMore: false });
    expect(await store().stats()).toMatchObject({ events: 3 });
    await store().commit([createCommit('a', 20, 20)]);
    expect((await store().readEvents('a', 5, 10)).lines).toEqual([lineOf(20)]);
  });

  it('skip a deleted session without affecting others', async () => {
    await store().insertSession(createSession('a'));
    await store().commit([
      createCommit('gone', 3, 4, { requests: [createRequest('gone', 'r')] }),
      createCommit('a', 0, 0),
    ]);
    expect(await allLines('gone')).toEqual([]);
    expect(await store().getRequest('r')).toBeNull();
    expect(await allLines('a')).toHaveLength(1);
  });

  it('reject lines that are out of order, out of range, or contain a newline', async () => {
    await store().insertSession(createSession('a'));
    const wrong = [
      [2, 1],
      [1, 1],
      [0, 5],
    ].map((seqs) => createCommit('a', 0, 4, { lines: seqs.map((seq) => ({ seq, line: lineOf(seq) })) }));
    wrong.push(createCommit('a', 0, 0, { lines: [{ seq: 0, line: '{}\n{}' }] }));
    for (const batch of wrong) await expect(store().commit([batch])).rejects.toThrow(TypeError);
    expect(await store().getSession('a')).toMatchObject({ lastSeq: -1 });
    expect(await allLines('a')).toEqual([]);
  });

  it('store every event once and in order for any overlap of batches', async () => {
    let sessions = 0;
    // A batch starts within the stored events or right after them, and is stored completely or in part.
    const deliveries = fc.array(
      fc.record({ back: fc.nat(400), length: fc.integer({ min: 1, max: 600 }), rests: fc.boolean() }),
      { minLength: 1, maxLength: 40 },
    );
    const skipped = fc.constantFrom(0, 2, 7);
    await fc.assert(
      fc.asyncProperty(deliveries, skipped, fc.nat(), async (options, every, place) => {
        sessions += 1;
        const id = `p${sessions}`;
        await store().insertSession(createSession(id));
        const isStored = (seq: number) => every === 0 || seq % every !== 0;
        let next = 0;
        for (const { back, length, rests } of options) {
          const from = Math.max(0, next - back);
          const to = from + length - 1;
          const lines = linesOf(from, to).filter(({ seq }) => isStored(seq));
          await store().commit([createCommit(id, from, to, { lines, session: rests ? { activity: 'idle' } : {} })]);
          next = Math.max(next, to + 1);
        }
        const expected = linesOf(0, next - 1).filter(({ seq }) => isStored(seq));
        expect(await allLines(id)).toEqual(expected.map(({ line }) => line));
        const after = place % next;
        const following = expected.filter(({ seq }) => seq > after);
        const page = await store().readEvents(id, after, 10);
        expect(page).toEqual({
          lines: following.slice(0, 10).map(({ line }) => line),
          lastSeq: following.slice(0, 10).at(-1)?.seq ?? after,
          hasMore: following.length > 10,
        });
        expect(await store().getSession(id)).toMatchObject({ lastSeq: next - 1 });
      }),
      { numRuns: 60 },
    );
  });
}
