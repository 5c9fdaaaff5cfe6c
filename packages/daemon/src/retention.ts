import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import { dropUnclaimedBlobs } from './journal/blobs.ts';
import type { DaemonPaths } from './paths.ts';
import type { SessionService } from './service.ts';
import { dropIdentities } from './sessions/reported.ts';
import type { DaemonSettings } from './settings/settings.ts';
import type { Store } from './store/store.ts';
import { removeWorktree } from './workspaces/save-work.ts';
import { dropScratch, findScratch } from './workspaces/scratch.ts';
import { worktreeOf } from './workspaces/worktree.ts';

const HOUR_MS = 60 * 60_000;
/** Deviation from the monotonic clock that means the wall clock was set. */
const DRIFT_MS = 10 * 60_000;
/** After a downtime this long, the clock may be wrong instead. */
const LONG_AWAY_MS = 30 * 24 * HOUR_MS;
const AFTER_LONG_AWAY_MS = 24 * HOUR_MS;
const LAST_SEEN = 'last-seen';
/** How long webhook delivery ids are remembered. A later repetition counts as new. */
const DELIVERIES_MS = 7 * 24 * HOUR_MS;

export interface Retention {
  store: Store;
  paths: Pick<DaemonPaths, 'sessions' | 'blobs' | 'files' | 'scratch' | 'saved'>;
  settings: Pick<DaemonSettings, 'retentionMs' | 'retentionBytes'>;
  remove: SessionService['remove'];
  log: (line: string) => void;
}

export interface Clocks {
  /** Wall clock. May be set. */
  now(): number;
  /** Monotonic clock. */
  steady(): number;
}

/** Applies retention every hour. The returned function stops it and waits for a running pass. */
export function startRetention(options: Retention): () => Promise<void> {
  const guard = new ClockGuard({ now: Date.now, steady: () => performance.now() });
  let running = Promise.resolve();
  const runPass = async () => {
    if (await guard.mayTrust(options.store)) {
      await options.store.dropRecords('delivery', Date.now() - DELIVERIES_MS);
      await dropOld(options, Date.now());
    } else options.log('the clock has jumped; deleting old sessions is paused');
  };
  const timer = setInterval(() => {
    running = runPass().catch((error) => options.log(`could not delete old sessions: ${messageOf(error)}`));
  }, HOUR_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    return running;
  };
}

/** Prevents data from being deleted because the clock jumped. */
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

/** Deletes sessions above the age or size limit, with their journals, files and scratch folders. */
export async function dropOld({ store, paths, settings, remove, log }: Retention, now: number): Promise<string[]> {
  const { retentionMs, retentionBytes } = settings;
  if (retentionMs === 0 && retentionBytes === 0) return [];
  // Removing through the session manager saves the work in a worktree first; the store cannot do that.
  if (retentionMs > 0)
    // A failed removal is retried in an hour and does not block the others.
    for (const { id } of await findEnded(store, isOldWorktree(now - retentionMs)))
      await remove(id, 'retention').catch((error) => log(`${id}: could not remove its worktree: ${messageOf(error)}`));
  const inScratch = await findEnded(store, async ({ cwd }) => (await findScratch(paths.scratch, cwd)) !== null);
  const inWorktree = (await findEnded(store, async (session) => worktreeOf(session)?.removed === false)).toSorted(
    (a, b) => a.lastActiveAt - b.lastActiveAt,
  );
  const { sessions } = await store.retain({
    ...(retentionMs > 0 ? { olderThan: now - retentionMs } : {}),
    ...(retentionBytes > 0 ? { maxBytes: retentionBytes } : {}),
    keep: inWorktree.map(({ id }) => id),
  });
  if (retentionBytes > 0) sessions.push(...(await dropWorktrees({ store, paths, settings, log }, inWorktree)));
  for (const id of sessions) {
    await rm(join(paths.sessions, id), { recursive: true, force: true });
    await dropIdentities(store, id);
  }
  for (const session of inScratch) if (sessions.includes(session.id)) await dropScratch(store, paths.scratch, session);
  await dropUnclaimedBlobs(paths.blobs, now - HOUR_MS);
  if (retentionMs > 0) await dropOldFiles(paths.files, now - retentionMs);
  if (sessions.length > 0) log(`deleted ${sessions.length} old sessions`);
  return sessions;
}

/** If the size limit is still exceeded, deletes sessions with a worktree, oldest first. */
async function dropWorktrees(
  { store, paths, settings, log }: Omit<Retention, 'remove'>,
  all: readonly Session[],
): Promise<string[]> {
  const dropped: string[] = [];
  for (const [at, session] of all.entries()) {
    const keep = all.slice(at + 1).map(({ id }) => id);
    const { sessions } = await store.retain({ maxBytes: settings.retentionBytes, keep });
    if (!sessions.includes(session.id)) break;
    dropped.push(session.id);
    await removeWorktree(session.id, worktreeOf(session)!, paths.saved).catch((error) =>
      log(`${session.id}: could not remove its worktree ${session.workspace.path}: ${messageOf(error)}`),
    );
  }
  return dropped;
}

/** Deletes old uploads. */
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

/** Ended sessions that may be deleted and match the predicate. */
async function findEnded(store: Store, matches: (session: Session) => Promise<boolean>): Promise<Session[]> {
  const found: Session[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await store.listSessions({
      terminated: true,
      pinned: false,
      limit: 500,
      ...(cursor ? { cursor } : {}),
    });
    for (const session of page.rows) if (await matches(session)) found.push(session);
    cursor = page.nextCursor;
  }
  return found;
}
