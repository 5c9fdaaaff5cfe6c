import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@agent-mux/core';
import type { Places } from './places.ts';
import type { DaemonSettings } from './settings.ts';
import type { Store } from './store/store.ts';

const EVERY_MS = 60 * 60_000;

interface Given {
  store: Store;
  places: Places;
  settings: Pick<DaemonSettings, 'keepMs' | 'keepBytes'>;
  log: (line: string) => void;
}

/** Drops old sessions now and every hour. Returns what stops that. */
export function startRetention(given: Given): () => void {
  const drop = () =>
    void dropOld(given, Date.now()).catch((error) =>
      given.log(`old sessions could not be dropped: ${messageOf(error)}`),
    );
  drop();
  const timer = setInterval(drop, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

export async function dropOld({ store, places, settings, log }: Given, now: number): Promise<string[]> {
  const { keepMs, keepBytes } = settings;
  if (keepMs === 0 && keepBytes === 0) return [];
  const { sessions } = await store.retain({
    ...(keepMs > 0 ? { olderThan: now - keepMs } : {}),
    ...(keepBytes > 0 ? { maxBytes: keepBytes } : {}),
  });
  for (const id of sessions) await rm(join(places.sessions, id), { recursive: true, force: true });
  if (sessions.length > 0) log(`dropped ${sessions.length} old sessions`);
  return sessions;
}
