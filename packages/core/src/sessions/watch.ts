import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { SessionFilter, SessionSummary, SessionUpdate } from '../contract/session-queries.ts';
import type { Session, SessionMessage, SessionRef } from '../contract/sessions.ts';
import { isWithin } from '../files/within.ts';
import { toJson } from '../values.ts';
import { foldersOf } from './folders.ts';
import type { SessionSource } from './sources.ts';

/** Polling interval: not every file system reports changes. */
const LOOK_MS = 1000;
/** A file that is being written changes many times in a row. */
const SETTLE_MS = 50;

/** New messages of one session from now on. Ends with the signal, or when the session is deleted. */
export async function* watchSession(
  source: SessionSource,
  ref: SessionRef,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): AsyncGenerator<SessionUpdate> {
  const tracker = new UpdateTracker(source.agent);
  using changes = new Changes([{ folder: dirname(ref.path), recursive: false, file: basename(ref.path) }], signal);
  let stamp = await readStamp(source, ref, env);
  tracker.markSent(await source.store.read(ref));
  while (await changes.next()) {
    const now = await readStamp(source, ref, env);
    if (now === undefined) return;
    if (now === stamp) continue;
    stamp = now;
    // Half-written: the next change completes it.
    const session = await source.store.read(ref).catch(() => undefined);
    if (session) yield* tracker.updates(session);
  }
}

/** New messages of all matching sessions, including later ones. `known`: those that already exist. */
export async function* watchSessions(
  sources: readonly SessionSource[],
  { cwd, model }: SessionFilter,
  { known, env, signal }: { known: readonly SessionSummary[]; env: NodeJS.ProcessEnv; signal?: AbortSignal },
): AsyncGenerator<SessionUpdate> {
  const folders = cwd === undefined ? undefined : foldersOf(cwd);
  const fits = (session: Session) =>
    (!folders || folders.some((folder) => isWithin(folder, session.cwd ?? ''))) &&
    (model === undefined || (session.model ?? '').toLowerCase().includes(model.toLowerCase()));
  const roots = sources.map(({ root }) => ({ folder: root, recursive: true }));
  using changes = new Changes(roots, signal);
  const counts = new Map(known.map((one) => [nameOf(one.agent, one), one.messageCount]));
  const trackers = new Map<string, UpdateTracker>();
  let stamps = await readAllStamps(sources, env, new Map());
  while (await changes.next()) {
    const now = await readAllStamps(sources, env, stamps);
    for (const [name, { source, ref }] of now) {
      if (stamps.get(name)?.ref.stamp === ref.stamp) continue;
      const session = await source.store.read(ref).catch(() => undefined);
      if (!session || !fits(session) || (await isListedBefore(source, ref, sources))) continue;
      const tracker = trackers.get(name) ?? new UpdateTracker(source.agent, counts.get(name));
      trackers.set(name, tracker);
      yield* tracker.updates(session);
    }
    stamps = now;
  }
}

/** Whether another agent with precedence at the same location reports it. */
async function isListedBefore(source: SessionSource, ref: SessionRef, all: readonly SessionSource[]): Promise<boolean> {
  for (const { agent, root, store } of all) {
    if (root !== source.root || !source.precededBy.includes(agent)) continue;
    const session = await store.read(ref).catch(() => undefined);
    if (session && session.messages.length > 0) return true;
  }
  return false;
}

/** Tracks which messages of one session have been sent. */
class UpdateTracker {
  readonly #agent: string;
  readonly #sent = new Map<string, string>();
  #skipped: number;

  /** The first `skipped` messages existed before watching started. */
  constructor(agent: string, skipped = 0) {
    this.#agent = agent;
    this.#skipped = skipped;
  }

  markSent({ messages }: Session): void {
    messages.forEach((message, index) => {
      this.#sent.set(keyOf(message, index), toJson(message));
    });
  }

  *updates({ sessionId, messages }: Session): Generator<SessionUpdate> {
    for (const [index, message] of messages.entries()) {
      const key = keyOf(message, index);
      const before = this.#sent.get(key);
      const text = toJson(message);
      if (before === text) continue;
      this.#sent.set(key, text);
      if (before === undefined && index < this.#skipped) continue;
      yield { agent: this.#agent, sessionId, index, message, isUpdate: before !== undefined };
    }
    this.#skipped = 0;
  }
}

function keyOf({ id, role }: SessionMessage, index: number): string {
  return id === undefined ? `${index}:${role}` : `${id}:${role}`;
}

interface WatchTarget {
  folder: string;
  recursive: boolean;
  /** Only files with this prefix matter: a database has side files. */
  file?: string;
}

/** Resolves when something may have changed; false after an abort. */
class Changes {
  readonly #watchers: FSWatcher[];
  readonly #signal: AbortSignal | undefined;
  #changed = false;
  #wake: (() => void) | undefined;

  constructor(targets: readonly WatchTarget[], signal: AbortSignal | undefined) {
    this.#signal = signal;
    this.#watchers = targets.flatMap(({ folder, recursive, file }) => {
      try {
        const watcher = watch(folder, { recursive, persistent: false }, (_, name) => {
          if (file === undefined || name === null || name.startsWith(file)) this.#notice();
        });
        watcher.on('error', () => watcher.close());
        return [watcher];
      } catch {
        // Missing, or no watchers are left: it is polled.
        return [];
      }
    });
  }

  async next(): Promise<boolean> {
    if (this.#signal?.aborted) return false;
    if (!this.#changed) await this.#pause(LOOK_MS, true);
    if (!this.#signal?.aborted && this.#changed) await this.#pause(SETTLE_MS, false);
    this.#changed = false;
    return !this.#signal?.aborted;
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers) watcher.close();
  }

  #notice(): void {
    this.#changed = true;
    this.#wake?.();
  }

  #pause(ms: number, untilNoticed: boolean): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        this.#signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      if (untilNoticed) this.#wake = done;
      this.#signal?.addEventListener('abort', done, { once: true });
    });
  }
}

/** Undefined if it is gone. */
async function readStamp(
  { store }: SessionSource,
  { path, key }: SessionRef,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  if (key === undefined) {
    const file = await stat(path).catch(() => undefined);
    return file && `${file.size}:${file.mtimeMs}`;
  }
  const refs = await store.find(env).catch(() => undefined);
  // A store that is temporarily unreadable has not lost its sessions.
  return refs ? refs.find((ref) => ref.path === path && ref.key === key)?.stamp : 'unreadable';
}

type Stamps = Map<string, { source: SessionSource; ref: SessionRef }>;

async function readAllStamps(
  sources: readonly SessionSource[],
  env: NodeJS.ProcessEnv,
  before: Stamps,
): Promise<Stamps> {
  const found: Stamps = new Map();
  for (const source of sources) {
    const refs = await source.store.find(env).catch(() => undefined);
    if (refs) for (const ref of refs) found.set(nameOf(source.agent, ref), { source, ref });
    else for (const [name, one] of before) if (one.source === source) found.set(name, one);
  }
  return found;
}

function nameOf(agent: string, { path, key = '' }: { path: string; key?: string }): string {
  return `${agent}\n${path}\n${key}`;
}
