import type { Store } from './store/store.ts';

/** While the store cannot be written, a small write is tried this often. */
const CHECK_MS = 1000;

/** Whether the store takes what is written, as its callers have seen it. */
export interface StoreHealth {
  /** Null: it works. */
  readonly problem: string | null;
  /** Null: a write of this kind has succeeded. */
  note(kind: 'write' | 'sync', problem: string | null): void;
  /** From now on a store that has failed is tried again until it works. */
  watch(store: Pick<Store, 'putRecord'>): void;
  stop(): void;
}

/** Says in the log when writes begin to fail, and when they work again: once each, not once for every write. */
export function openStoreHealth(log: (line: string) => void): StoreHealth {
  const problems = new Map<string, string>();
  let watched: Pick<Store, 'putRecord'> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const current = () => problems.values().next().value ?? null;

  function note(kind: string, problem: string | null): void {
    const before = current();
    if (problem === null) problems.delete(kind);
    else problems.set(kind, problem);
    const now = current();
    if (before === null && now !== null)
      log(`the store cannot be written: ${now} Reading works; writes are refused until there is a change.`);
    else if (before !== null && now === null) log('the store can be written again');
    if (now === null) stop();
    else timer ??= setInterval(check, CHECK_MS).unref();
  }

  function check(): void {
    // The store notes how it ends.
    watched?.putRecord('storage', 'check', true, Date.now()).catch(() => {});
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    get problem() {
      return current();
    },
    note,
    watch(store) {
      watched = store;
    },
    stop,
  };
}
