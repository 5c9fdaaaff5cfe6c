import { useSyncExternalStore } from 'react';
import { keep, readKept } from '../../data/kept.ts';
import type { NewsKind } from './news.logic.ts';

/** Whether this browser tells its user, and of what. */
export interface NoticeSettings {
  isOn: boolean;
  kinds: Readonly<Record<NewsKind, boolean>>;
}

const KEY = 'agent-mux.notices';
const listeners = new Set<() => void>();
let current = read();

// Another tab has changed it.
window.addEventListener('storage', ({ key }) => {
  if (key !== KEY && key !== null) return;
  current = read();
  for (const listener of listeners) listener();
});

export function noticeSettings(): NoticeSettings {
  return current;
}

export function useNoticeSettings(): NoticeSettings {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

export function setNotices(change: Partial<NoticeSettings>): void {
  current = { ...current, ...change };
  keep(KEY, current);
  for (const listener of listeners) listener();
}

function read(): NoticeSettings {
  const kept = readKept(KEY);
  const value = (of: unknown, name: string): unknown =>
    typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
  const isOf = (kind: NewsKind) => value(value(kept, 'kinds'), kind) !== false;
  return {
    isOn: value(kept, 'isOn') === true,
    kinds: { request: isOf('request'), failure: isOf('failure'), limit: isOf('limit'), done: isOf('done') },
  };
}
