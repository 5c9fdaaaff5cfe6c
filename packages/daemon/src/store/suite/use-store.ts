import { afterEach, beforeEach } from 'vitest';
import type { Store } from '../store.ts';
import type { OpenedStore, OpenForTest } from '../store-suite.ts';

/** A fresh store for each test of the enclosing `describe`. */
export function useStore(open: OpenForTest): () => Store {
  let opened: OpenedStore | null = null;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async () => {
    await opened?.dispose();
    opened = null;
  });
  return () => {
    if (opened === null) throw new Error('the store is only available inside a test');
    return opened.store;
  };
}
