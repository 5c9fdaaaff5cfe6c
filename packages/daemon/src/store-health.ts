import type { Store } from './store/store.ts';

/** Interval of test writes while the store cannot be written. */
const CHECK_MS = 1000;

/** Whether writes to the store succeed, as observed by its callers. */
export interface StoreHealth {
  /** Null: writes succeed. */
  readonly problem: string | null;
  /** Null: a write of this kind succeeded. */
  note(kind: 'write' | 'sync', problem: string | null): void;
  /** Sets the store that is probed after a failure until it works again. */
  watch(store: Pick<Store, 'putRecord'>): void;
  stop(): void;
}

/** Logs once when writes start to fail, and once when they succeed again. */
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
      log(`the store cannot be written: ${now}; reads still work, writes are refused until it recovers`);
    else if (before !== null && now === null) log('the store can be written again');
    if (now === null) stop();
    else timer ??= setInterval(check, CHECK_MS).unref();
  }

  function check(): void {
    // The store reports the outcome itself.
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
