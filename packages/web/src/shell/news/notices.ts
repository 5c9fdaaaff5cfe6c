import { keep, readKept } from '../../data/kept.ts';
import { navigate } from '../../parts/router.tsx';
import { showOverlay } from '../overlays.ts';
import type { News } from './news.logic.ts';
import { noticeSettings } from './notice-settings.ts';

/** One tab at a time decides whether something is told. */
const TELLING = 'agent-mux.telling';
/** Held by every tab that somebody looks at, for as long as that is so. */
const LOOKED_AT = 'agent-mux.looked-at';
const TOLD = 'agent-mux.told';
const MOST_TOLD = 500;
const ICON = '/icon.svg';

/** Where there is no worker, the notices that this tab has shown. */
const shown = new Map<string, Notification>();

/** Shows what is new, once over all tabs, where nobody looks at any of them. */
export function tellNews(news: readonly News[]): Promise<void> {
  return inTurn(async () => {
    const { isOn, kinds } = noticeSettings();
    if (!isOn || permission() !== 'granted') return;
    for (const each of news) {
      if (!kinds[each.kind] || wasTold(each.key)) continue;
      noteTold(each.key);
      if (!(await isLookedAt())) await show(each);
    }
  });
}

/** What has passed is taken away, whichever tab has shown it. */
export function withdraw(isOver: (key: string) => boolean): Promise<void> {
  return inTurn(async () => {
    for (const notice of (await (await worker())?.getNotifications()) ?? []) if (isOver(notice.tag)) notice.close();
    for (const [key, notice] of shown) {
      if (!isOver(key)) continue;
      notice.close();
      shown.delete(key);
    }
  });
}

export function permission(): NotificationPermission | 'missing' {
  return 'Notification' in window ? Notification.permission : 'missing';
}

/** For as long as the page lives: says to other tabs whether this one is looked at, and opens what was clicked. */
export function keepNotices(): void {
  let leave: (() => void) | null = null;
  const look = () => {
    if (isHere() === (leave !== null)) return;
    if (leave) {
      leave();
      leave = null;
      return;
    }
    const left = Promise.withResolvers<void>();
    leave = left.resolve;
    void navigator.locks?.request(LOOKED_AT, { mode: 'shared' }, () => left.promise);
  };
  look();
  for (const name of ['focus', 'blur', 'pageshow', 'pagehide']) window.addEventListener(name, look);
  document.addEventListener('visibilitychange', look);
  navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data === 'object' && data !== null && 'open' in data) open(String(data.open));
  });
}

function isHere(): boolean {
  return document.visibilityState === 'visible' && document.hasFocus();
}

async function isLookedAt(): Promise<boolean> {
  if (isHere()) return true;
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.some(({ name }) => name === LOOKED_AT);
}

async function inTurn(work: () => Promise<void>): Promise<void> {
  try {
    await (navigator.locks ? navigator.locks.request(TELLING, work) : work());
  } catch (error) {
    // A browser that will not show a notice is no reason to show a fault: the inbox has it all.
    console.warn('no notice could be shown', error);
  }
}

async function show({ key, title, text, path }: News): Promise<void> {
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

/** Phones show notices of a worker only. */
async function worker(): Promise<ServiceWorkerRegistration | undefined> {
  const registration = await navigator.serviceWorker?.getRegistration();
  return registration?.active ? registration : undefined;
}

function open(path: string): void {
  if (!/^\/sessions\/[a-z0-9]+$/.test(path)) return;
  showOverlay('none');
  navigate(path);
}

function wasTold(key: string): boolean {
  return toldKeys().includes(key);
}

/** Where nothing can be kept, a second tab replaces the notice of the first: they have the same tag. */
function noteTold(key: string): void {
  keep(TOLD, [...toldKeys(), key].slice(-MOST_TOLD));
}

function toldKeys(): unknown[] {
  const kept = readKept(TOLD);
  return Array.isArray(kept) ? kept : [];
}
