import { describe, expect, it } from 'vitest';
import { type Commit, type Store, StoreError } from '../store/store.ts';
import { Committer } from './committer.ts';

/** Only what a committer asks of a store. */
function storeOf(commit: (batches: readonly Commit[]) => Promise<void>): Store {
  const store: Pick<Store, 'commit' | 'sync'> = { commit, sync: async () => {} };
  return store as Store;
}

function batch(sessionId: string, from: number, to = from): Commit {
  const nothing = { lines: [], session: {}, requests: [], requestChanges: [], messageChanges: [], usage: [] };
  return { sessionId, from, to, now: 0, ...nothing };
}

function follow(store: Store) {
  const told: string[] = [];
  const committer = new Committer(store, {
    committed: (batches) => told.push(batches.map(({ sessionId, to }) => `${sessionId}:${to}`).join(' ')),
    durable: (upTo) => told.push(`durable ${[...upTo].map(([id, seq]) => `${id}:${seq}`).join(' ')}`),
    trouble: (problem) => told.push(problem ?? 'well again'),
  });
  return { committer, told };
}

describe('a committer', () => {
  it('writes what comes at once in one transaction, then tells, then makes it durable', async () => {
    const written: number[] = [];
    const { committer, told } = follow(storeOf(async (batches) => void written.push(batches.length)));
    await Promise.all([
      committer.commit(batch('a', 0)),
      committer.commit(batch('b', 0)),
      committer.commit(batch('c', 0, 4)),
    ]);
    await committer.close();
    expect(written).toEqual([3]);
    expect(told).toEqual(['a:0 b:0 c:4', 'durable a:0 b:0 c:4']);
  });

  it('lets one that can never be written hold nobody else', async () => {
    const store = storeOf(async (batches) => {
      if (batches.some(({ sessionId }) => sessionId === 'bad')) throw new StoreError('GAP', 'a gap');
    });
    const { committer, told } = follow(store);
    const all = await Promise.allSettled([
      committer.commit(batch('a', 0)),
      committer.commit(batch('bad', 7)),
      committer.commit(batch('b', 0)),
    ]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await committer.close();
    expect(told.slice(0, 2)).toEqual(['a:0', 'b:0']);
  });

  it('reports that a failed sync works again without another commit', async () => {
    let failures = 1;
    const sync = async () => {
      failures -= 1;
      if (failures >= 0) throw new StoreError('UNWRITABLE', 'too many open files');
    };
    const { committer, told } = follow({ ...storeOf(async () => {}), sync });
    await committer.commit(batch('a', 0));
    await expect.poll(() => told).toEqual(['a:0', 'too many open files', 'durable a:0', 'well again']);
    await committer.close();
  });

  it('waits for room on a full disk, says so, and loses nothing', async () => {
    let refusals = 2;
    const written: string[] = [];
    const store = storeOf(async (batches) => {
      refusals -= 1;
      if (refusals >= 0) throw new StoreError('FULL', 'no room');
      written.push(...batches.map(({ sessionId }) => sessionId));
    });
    const { committer, told } = follow(store);
    await committer.commit(batch('a', 0));
    await committer.close();
    expect(written).toEqual(['a']);
    expect(told).toEqual(['no room', 'well again', 'a:0', 'durable a:0']);
  });
});
