import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import { dropUnclaimedBlobs } from './journal/blobs.ts';
import type { Places } from './places.ts';
import type { SessionService } from './service.ts';
import { dropReported } from './sessions/reported.ts';
import type { DaemonSettings } from './settings/settings.ts';
import type { Store } from './store/store.ts';
import { removeWorktree } from './workspaces/save-work.ts';
import { dropScratch, findScratch } from './workspaces/scratch.ts';
import { worktreeOf } from './workspaces/worktree.ts';

const HOUR_MS = 60 * 60_000;
/** A clock that goes so much more or less than the one that counts from the start of the machine has been set. */
const DRIFT_MS = 10 * 60_000;
/** Where nobody was here for so long, it may also be that the clock is wrong. */
const LONG_AWAY_MS = 30 * 24 * HOUR_MS;
const AFTER_LONG_AWAY_MS = 24 * HOUR_MS;
const LAST_SEEN = 'last-seen';
/** A delivery that comes again so late is taken for a new one. */
const DELIVERIES_MS = 7 * 24 * HOUR_MS;

export interface Retention {
  store: Store;
  places: Pick<Places, 'sessions' | 'blobs' | 'files' | 'scratch' | 'saved'>;
  settings: Pick<DaemonSettings, 'keepMs' | 'keepBytes'>;
  remove: SessionService['remove'];
  log: (line: string) => void;
}

export interface Clocks {
  /** Of the wall: it may be set. */
  now(): number;
  /** Counts only forward. */
  steady(): number;
}

/** Looks every hour. Returns what stops that, and waits for what is under way. */
export function startRetention(given: Retention): () => Promise<void> {
  const guard = new ClockGuard({ now: Date.now, steady: () => performance.now() });
  let work = Promise.resolve();
  const look = async () => {
    if (await guard.mayTrust(given.store)) {
      await given.store.dropRecords('delivery', Date.now() - DELIVERIES_MS);
      await dropOld(given, Date.now());
    } else given.log('the clock has jumped: no old session is dropped for now');
  };
  const timer = setInterval(() => {
    work = look().catch((error) => given.log(`old sessions could not be dropped: ${messageOf(error)}`));
  }, HOUR_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    return work;
  };
}

/** Nothing is thrown away because of a clock that jumps. */
export class ClockGuard {
  readonly #clocks: Clocks;
  readonly #wallStart: number;
  readonly #steadyStart: number;
  #wasLongAway: boolean | undefined;

  constructor(clocks: Clocks) {
    this.#clocks = clocks;
    this.#wallStart = clocks.now();
    this.#steadyStart = clocks.steady();
  }

  async mayTrust(store: Pick<Store, 'getRecord' | 'putRecord'>): Promise<boolean> {
    const now = this.#clocks.now();
    const up = this.#clocks.steady() - this.#steadyStart;
    if (Math.abs(now - this.#wallStart - up) > DRIFT_MS) return false;
    if (this.#wasLongAway === undefined) {
      const lastSeen = await store.getRecord('clock', LAST_SEEN);
      this.#wasLongAway = typeof lastSeen === 'number' && (now - lastSeen > LONG_AWAY_MS || lastSeen - now > DRIFT_MS);
    }
    if (this.#wasLongAway && up < AFTER_LONG_AWAY_MS) return false;
    await store.putRecord('clock', LAST_SEEN, now, now);
    return true;
  }
}

/** What is older, or too much, goes: its journal, its files, and its scratch folder. */
export async function dropOld({ store, places, settings, remove, log }: Retention, now: number): Promise<string[]> {
  const { keepMs, keepBytes } = settings;
  if (keepMs === 0 && keepBytes === 0) return [];
  // Their work is saved before their worktree goes; the store alone could not do that.
  if (keepMs > 0)
    // One that cannot be removed is tried again in an hour; the others must not wait for it.
    for (const { id } of await findEnded(store, isOldWorktree(now - keepMs)))
      await remove(id, 'retention').catch((error) => log(`${id}: its worktree stays: ${messageOf(error)}`));
  const inScratch = await findEnded(store, async ({ cwd }) => (await findScratch(places.scratch, cwd)) !== null);
  const inWorktree = (await findEnded(store, async (session) => worktreeOf(session)?.removed === false)).toSorted(
    (a, b) => a.lastActiveAt - b.lastActiveAt,
  );
  const { sessions } = await store.retain({
    ...(keepMs > 0 ? { olderThan: now - keepMs } : {}),
    ...(keepBytes > 0 ? { maxBytes: keepBytes } : {}),
    keep: inWorktree.map(({ id }) => id),
  });
  if (keepBytes > 0) sessions.push(...(await dropWorktrees({ store, places, settings, log }, inWorktree)));
  for (const id of sessions) {
    await rm(join(places.sessions, id), { recursive: true, force: true });
    await dropReported(store, id);
  }
  for (const session of inScratch) if (sessions.includes(session.id)) await dropScratch(store, places.scratch, session);
  await dropUnclaimedBlobs(places.blobs, now - HOUR_MS);
  if (keepMs > 0) await dropOldFiles(places.files, now - keepMs);
  if (sessions.length > 0) log(`dropped ${sessions.length} old sessions`);
  return sessions;
}

/** Where there is still too much, sessions with a worktree go too, the oldest first. */
async function dropWorktrees(
  { store, places, settings, log }: Omit<Retention, 'remove'>,
  all: readonly Session[],
): Promise<string[]> {
  const dropped: string[] = [];
  for (const [at, session] of all.entries()) {
    const keep = all.slice(at + 1).map(({ id }) => id);
    const { sessions } = await store.retain({ maxBytes: settings.keepBytes, keep });
    if (!sessions.includes(session.id)) break;
    dropped.push(session.id);
    await removeWorktree(session.id, worktreeOf(session)!, places.saved).catch((error) =>
      log(`${session.id}: its worktree ${session.workspace.path} stays: ${messageOf(error)}`),
    );
  }
  return dropped;
}

/** What was handed in with messages, long ago. */
async function dropOldFiles(folder: string, olderThan: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found && found.mtimeMs < olderThan) await rm(path, { force: true });
  }
}

function isOldWorktree(olderThan: number): (session: Session) => Promise<boolean> {
  return async ({ workspace, lastActiveAt }) => workspace.kind === 'worktree' && lastActiveAt < olderThan;
}

/** Of those that may be dropped. */
async function findEnded(store: Store, isWanted: (session: Session) => Promise<boolean>): Promise<Session[]> {
  const found: Session[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await store.listSessions({
      terminated: true,
      pinned: false,
      limit: 500,
      ...(cursor ? { cursor } : {}),
    });
    for (const session of page.rows) if (await isWanted(session)) found.push(session);
    cursor = page.cursor;
  }
  return found;
}
