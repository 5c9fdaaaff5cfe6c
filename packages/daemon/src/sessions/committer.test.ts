import { describe, expect, it } from 'vitest';
import { type Commit, type Store, StoreError } from '../store/store.ts';
import { Committer } from './committer.ts';

/** Only the methods that a committer uses. */
function storeOf(commit: (batches: readonly Commit[]) => Promise<void>): Store {
  const store: Pick<Store, 'commit' | 'sync'> = { commit, sync: async () => {} };
  return store as Store;
}

function batch(sessionId: string, from: number, to = from): Commit {
  const nothing = { lines: [], session: {}, requests: [], requestChanges: [], messageChanges: [], usage: [] };
  return { sessionId, from, to, now: 0, ...nothing };
}

function follow(store: Store) {
  const log: string[] = [];
  const committer = new Committer(store, {
    committed: (batches) => log.push(batches.map(({ sessionId, to }) => `${sessionId}:${to}`).join(' ')),
    durable: (upTo) => log.push(`durable ${[...upTo].map(([id, seq]) => `${id}:${seq}`).join(' ')}`),
    storageError: (problem) => log.push(problem ?? 'recovered'),
  });
  return { committer, log };
}

describe('Committer', () => {
  it('writes simultaneous batches in one transaction, then notifies, then syncs', async () => {
    const written: number[] = [];
    const { committer, log } = follow(storeOf(async (batches) => void written.push(batches.length)));
    await Promise.all([
      committer.commit(batch('a', 0)),
      committer.commit(batch('b', 0)),
      committer.commit(batch('c', 0, 4)),
    ]);
    await committer.close();
    expect(written).toEqual([3]);
    expect(log).toEqual(['a:0 b:0 c:4', 'durable a:0 b:0 c:4']);
  });

  it('does not let an invalid batch block the others', async () => {
    const store = storeOf(async (batches) => {
      if (batches.some(({ sessionId }) => sessionId === 'bad')) throw new StoreError('GAP', 'a gap');
    });
    const { committer, log } = follow(store);
    const all = await Promise.allSettled([
      committer.commit(batch('a', 0)),
      committer.commit(batch('bad', 7)),
      committer.commit(batch('b', 0)),
    ]);
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await committer.close();
    expect(log.slice(0, 2)).toEqual(['a:0', 'b:0']);
  });

  it('reports recovery after a failed sync without another commit', async () => {
    let failures = 1;
    const sync = async () => {
      failures -= 1;
      if (failures >= 0) throw new StoreError('UNWRITABLE', 'too many open files');
    };
    const { committer, log } = follow({ ...storeOf(async () => {}), sync });
    await committer.commit(batch('a', 0));
    await expect.poll(() => log).toEqual(['a:0', 'too many open files', 'durable a:0', 'recovered']);
    await committer.close();
  });

  it('waits on a full disk, reports it and loses nothing', async () => {
    let refusals = 2;
    const written: string[] = [];
    const store = storeOf(async (batches) => {
      refusals -= 1;
      if (refusals >= 0) throw new StoreError('FULL', 'disk full');
      written.push(...batches.map(({ sessionId }) => sessionId));
    });
    const { committer, log } = follow(store);
    await committer.commit(batch('a', 0));
    await committer.close();
    expect(written).toEqual(['a']);
    expect(log).toEqual(['disk full', 'recovered', 'a:0', 'durable a:0']);
  });
});
