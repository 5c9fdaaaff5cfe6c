import { navigate } from '../../components/router.tsx';
import { readStored, writeStored } from '../../data/local-storage.ts';
import { showOverlay } from '../overlays.ts';
import type { Notice } from './notices.logic.ts';
import { notificationSettings } from './notification-settings.ts';

/** Lock: only one tab at a time decides whether to notify. */
const NOTIFY_LOCK = 'agent-mux.notify';
/** Shared lock, held by every visible tab. */
const VISIBLE_LOCK = 'agent-mux.visible';
const NOTIFIED = 'agent-mux.notified';
const MAX_NOTIFIED = 500;
const ICON = '/icon.svg';

/** Notifications that this tab has shown without a service worker. */
const shown = new Map<string, Notification>();

/** Shows each notice once across all tabs, unless one of them is visible. */
export function showNotification(notices: readonly Notice[]): Promise<void> {
  return withLock(async () => {
    const { isOn, kinds } = notificationSettings();
    if (!isOn || permission() !== 'granted') return;
    for (const each of notices) {
      if (!kinds[each.kind] || wasNotified(each.key)) continue;
      markNotified(each.key);
      if (!(await isAnyTabVisible())) await show(each);
    }
  });
}

/** Closes notifications that no longer apply, whichever tab has shown them. */
export function closeNotification(isOutdated: (key: string) => boolean): Promise<void> {
  return withLock(async () => {
    for (const notice of (await (await worker())?.getNotifications()) ?? []) if (isOutdated(notice.tag)) notice.close();
    for (const [key, notice] of shown) {
      if (!isOutdated(key)) continue;
      notice.close();
      shown.delete(key);
    }
  });
}

export function permission(): NotificationPermission | 'missing' {
  return 'Notification' in window ? Notification.permission : 'missing';
}

/** Signals to other tabs whether this one is visible, and opens clicked notifications. */
export function syncNotifications(): void {
  let release: (() => void) | null = null;
  const update = () => {
    if (isVisible() === (release !== null)) return;
    if (release) {
      release();
      release = null;
      return;
    }
    const released = Promise.withResolvers<void>();
    release = released.resolve;
    void navigator.locks?.request(VISIBLE_LOCK, { mode: 'shared' }, () => released.promise);
  };
  update();
  for (const name of ['focus', 'blur', 'pageshow', 'pagehide']) window.addEventListener(name, update);
  document.addEventListener('visibilitychange', update);
  navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data === 'object' && data !== null && 'open' in data) open(String(data.open));
  });
}

function isVisible(): boolean {
  return document.visibilityState === 'visible' && document.hasFocus();
}

async function isAnyTabVisible(): Promise<boolean> {
  if (isVisible()) return true;
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.some(({ name }) => name === VISIBLE_LOCK);
}

async function withLock(work: () => Promise<void>): Promise<void> {
  try {
    await (navigator.locks ? navigator.locks.request(NOTIFY_LOCK, work) : work());
  } catch (error) {
    // Not an error for the user: the inbox shows everything.
    console.warn('could not show a notification', error);
  }
}

async function show({ key, title, text, path }: Notice): Promise<void> {
  const options = { body: text, tag: key, icon: ICON, data: { path } };
  const registration = await worker();
  if (registration) return registration.showNotification(title, options);
  const notice = new Notification(title, options);
  notice.onclick = () => {
    notice.close();
    window.focus();
    open(path);
  };
  shown.set(key, notice);
}

/** Phones show only notifications of a service worker. */
async function worker(): Promise<ServiceWorkerRegistration | undefined> {
  const registration = await navigator.serviceWorker?.getRegistration();
  return registration?.active ? registration : undefined;
}

function open(path: string): void {
  if (!/^\/sessions\/[a-z0-9]+$/.test(path)) return;
  showOverlay('none');
  navigate(path);
}

function wasNotified(key: string): boolean {
  return notifiedKeys().includes(key);
}

/** If storage fails, a second tab replaces the notification of the first, since both have the same tag. */
function markNotified(key: string): void {
  writeStored(NOTIFIED, [...notifiedKeys(), key].slice(-MAX_NOTIFIED));
}

function notifiedKeys(): unknown[] {
  const stored = readStored(NOTIFIED);
  return Array.isArray(stored) ? stored : [];
}
