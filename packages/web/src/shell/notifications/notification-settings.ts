import { useSyncExternalStore } from 'react';
import { readStored, writeStored } from '../../data/local-storage.ts';
import type { NoticeKind } from './notices.logic.ts';

/** Whether this browser shows notifications, and about what. */
export interface NotificationSettings {
  isOn: boolean;
  kinds: Readonly<Record<NoticeKind, boolean>>;
}

const KEY = 'agent-mux.notices';
const listeners = new Set<() => void>();
let current = read();

// Another tab changed the settings.
window.addEventListener('storage', ({ key }) => {
  if (key !== KEY && key !== null) return;
  current = read();
  for (const listener of listeners) listener();
});

export function notificationSettings(): NotificationSettings {
  return current;
}

export function useNotificationSettings(): NotificationSettings {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

export function setNotificationSettings(change: Partial<NotificationSettings>): void {
  current = { ...current, ...change };
  writeStored(KEY, current);
  for (const listener of listeners) listener();
}

function read(): NotificationSettings {
  const stored = readStored(KEY);
  const value = (of: unknown, name: string): unknown =>
    typeof of === 'object' && of !== null ? Reflect.get(of, name) : undefined;
  const isOf = (kind: NoticeKind) => value(value(stored, 'kinds'), kind) !== false;
  return {
    isOn: value(stored, 'isOn') === true,
    kinds: { request: isOf('request'), failure: isOf('failure'), limit: isOf('limit'), done: isOf('done') },
  };
}
