import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Change, Store } from '../store.ts';
import type { OpenForTest } from '../store-suite.ts';
import { createCommit, createMessage, createRequest, createSession } from './fixtures.ts';
import { useStore } from './use-store.ts';

const nameOf = (change: Change) => `${change.kind} ${change.id}${change.value === null ? ' gone' : ''}`;

export function describeChanges(open: OpenForTest): void {
  const store = useStore(open);
  const namesAfter = async (after: number) => (await store().readChanges(after, 100)).changes.map(nameOf);

  it('are empty for an empty store', async () => {
    expect(await store().revision()).toBe(0);
    expect(await store().readChanges(0, 10)).toEqual({ changes: [], lastRev: 0, hasMore: false });
  });

  it('list each row once at its last change, with its newest content', async () => {
    await store().insertSession(createSession('a'));
    await store().insertSession(createSession('b'));
    await store().updateSession('a', { title: 'one' });
    await store().updateSession('a', { title: 'two' });
    const { changes, lastRev, hasMore } = await store().readChanges(0, 100);
    expect(changes.map(nameOf)).toEqual(['session b', 'session a']);
    expect(changes[1]).toEqual({ kind: 'session', id: 'a', rev: lastRev, value: await store().getSession('a') });
    expect(lastRev).toBe(await store().revision());
    expect(hasMore).toBe(false);
    expect(await store().readChanges(lastRev, 100)).toEqual({ changes: [], lastRev, hasMore: false });
  });

  it('include requests, messages and the session that counts them', async () => {
    await store().insertSession(createSession('a'));
    let after = await store().revision();
    await store().insertMessage(createMessage('a', 'm'));
    expect((await namesAfter(after)).sort()).toEqual(['message m', 'session a']);
    after = await store().revision();
    await store().commit([createCommit('a', 0, 0, { requests: [createRequest('a', 'r')] })]);
    expect((await namesAfter(after)).sort()).toEqual(['request r', 'session a']);
    after = await store().revision();
    await store().updateRequest('r', { snoozedUntil: 5 });
    const { changes } = await store().readChanges(after, 10);
    expect(changes).toEqual([{ kind: 'request', id: 'r', rev: after + 1, value: await store().getRequest('r') }]);
  });

  it('include deleted rows', async () => {
    await store().insertSession(createSession('a'));
    await store().insertSession(createSession('b'));
    await store().insertMessage(createMessage('a', 'm1'));
    await store().insertMessage(createMessage('a', 'm2'));
    await store().commit([createCommit('a', 0, 0, { requests: [createRequest('a', 'r')] })]);
    const after = await store().revision();
    await store().deleteSession('a');
    expect((await namesAfter(after)).sort()).toEqual([
      'message m1 gone',
      'message m2 gone',
      'request r gone',
      'session a gone',
    ]);
    const { changes } = await store().readChanges(after, 100);
    expect(new Set(changes.map(({ rev }) => rev)).size).toBe(4);
    expect(changes.filter(({ kind }) => kind === 'message')).toMatchObject([{ sessionId: 'a' }, { sessionId: 'a' }]);
  });

  it('include a reused id as a row', async () => {
    await store().insertSession(createSession('a'));
    await store().insertMessage(createMessage('a', 'm'));
    await store().deleteSession('a');
    await store().insertSession(createSession('a'));
    expect((await namesAfter(0)).sort()).toEqual(['message m gone', 'session a']);
    await store().insertMessage(createMessage('a', 'm'));
    expect((await namesAfter(0)).sort()).toEqual(['message m', 'session a']);
    await store().insertSession(createSession('b'));
    await store().commit([createCommit('b', 0, 0, { requests: [createRequest('b', 'r')] })]);
    await store().deleteSession('b');
    await store().commit([createCommit('a', 0, 0, { requests: [createRequest('a', 'r')] })]);
    expect((await namesAfter(0)).sort()).toEqual(['message m', 'request r', 'session a', 'session b gone']);
  });

  it('can be read page by page while more arrive', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) await store().insertSession(createSession(id));
    const first = await store().readChanges(0, 2);
    expect(first.changes.map(nameOf)).toEqual(['session a', 'session b']);
    expect(first.hasMore).toBe(true);
    await store().updateSession('a', { title: 'again' });
    await store().updateSession('c', { title: 'later' });
    await store().deleteSession('d');
    const second = await store().readChanges(first.lastRev, 2);
    expect(second.changes.map(nameOf)).toEqual(['session e', 'session a']);
    const third = await store().readChanges(second.lastRev, 2);
    expect(third.changes.map(nameOf)).toEqual(['session c', 'session d gone']);
    expect(third.hasMore).toBe(false);
  });

  it('bring a reader to the state of the store for any sequence of operations', async () => {
    const step = fc.record({
      what: fc.constantFrom('session', 'title', 'message', 'state', 'request', 'answer', 'delete', 'read'),
      which: fc.nat(2),
      page: fc.integer({ min: 1, max: 4 }),
    });
    let rounds = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        rounds += 1;
        const copy = new Map<string, unknown>();
        let after = await store().revision();
        const read = async (limit: number): Promise<boolean> => {
          const page = await store().readChanges(after, limit);
          for (const change of page.changes) {
            const key = `${change.kind} ${'sessionId' in change ? change.sessionId : ''} ${change.id}`;
            if (change.value === null) copy.delete(key);
            else copy.set(key, change.value);
          }
          after = page.lastRev;
          return page.hasMore;
        };
        for (const { what, which, page } of steps) {
          if (what === 'read') await read(page);
          else await act(store(), what, `s${rounds}x${which}`);
        }
        while (await read(3));
        for (const which of [0, 1, 2]) {
          const id = `s${rounds}x${which}`;
          expect(copy.get(`session  ${id}`) ?? null).toEqual(await store().getSession(id));
          expect(copy.get(`request  r${id}`) ?? null).toEqual(await store().getRequest(`r${id}`));
          expect(copy.get(`message ${id} m`) ?? null).toEqual(await store().getMessage(id, 'm'));
        }
      }),
      { numRuns: 60 },
    );
  });
}

async function act(store: Store, what: string, id: string): Promise<void> {
  const session = await store.getSession(id);
  if (what === 'session' && !session) await store.insertSession(createSession(id));
  if (!session) return;
  if (what === 'title') await store.updateSession(id, { title: `at ${session.rev}` });
  if (what === 'message') await store.insertMessage(createMessage(id, 'm'));
  if (what === 'state')
    await store.updateMessage(id, 'm', { state: session.queuedMessages > 0 ? 'completed' : 'queued' });
  if (what === 'answer') await store.updateRequest(`r${id}`, { state: 'answered' });
  if (what === 'delete') await store.deleteSession(id);
  if (what === 'request') {
    const seq = session.lastSeq + 1;
    await store.commit([createCommit(id, seq, seq, { requests: [createRequest(id, `r${id}`)] })]);
  }
}
