import { createHash } from 'node:crypto';
import type { Notification } from '@agent-mux/api';
import { NotificationSchema } from '@agent-mux/api/schemas';
import { z } from 'zod';
import type { Store } from '../store/store.ts';
import type { Telling } from './send-error.ts';

/** As it is kept. */
const EntrySchema = NotificationSchema.extend({
  /** What it is about, so that it is told once. */
  key: z.string(),
  agent: z.string(),
  project: z.string(),
  /** Of a summary: the ids of what it sums up. */
  of: z.array(z.string()),
});
export type Entry = z.infer<typeof EntrySchema>;

const RECORD = 'notification';
/** What is over is kept for so long, so that it is not told again, and so many of it. */
const KEEP_MS = 7 * 24 * 3_600_000;
const MOST_KEPT = 1_000;
/** So many may wait for one target; what comes then is dropped, and says so. */
const MOST_WAITING = 200;
/** Of what a summary shows. */
const MOST_ITEMS = 20;

/** Everything that is to be told, or was; each a record before anything is sent. */
export interface Outbox {
  load(): Promise<void>;
  /** Null: that was noted before. */
  add(entry: NewEntry): Promise<Entry | null>;
  change(entry: Entry, patch: Partial<Entry>): Promise<Entry>;
  /** Oldest first. */
  all(): Entry[];
  tellingOf(entry: Entry): Telling;
}

type NewEntry = Omit<Entry, 'id' | 'attempts' | 'endedAt'>;

export function openOutbox({ store, now, log }: { store: Store; now(): number; log(line: string): void }): Outbox {
  const entries = new Map<string, Entry>();

  async function put(entry: Entry): Promise<Entry> {
    await store.putRecord(RECORD, entry.id, entry, now());
    entries.set(entry.id, entry);
    return entry;
  }

  async function dropOld(): Promise<void> {
    const over = [...entries.values()].filter((entry) => !isOpen(entry)).sort((a, b) => a.createdAt - b.createdAt);
    const spare = Math.max(0, entries.size - MOST_KEPT);
    const old = over.filter(({ createdAt }, at) => at < spare || createdAt < now() - KEEP_MS);
    for (const { id } of old) {
      await store.deleteRecord(RECORD, id);
      entries.delete(id);
    }
  }

  return {
    async load() {
      for (const { key, value } of await store.listRecords(RECORD)) {
        const read = EntrySchema.safeParse(value);
        if (read.success) entries.set(key, read.data);
        else log(`notification ${key} cannot be read, and is left as it is`);
      }
    },
    async add(entry) {
      const id = idOf(entry);
      if (entries.has(id)) return null;
      const waiting = [...entries.values()].filter((each) => each.target === entry.target && isOpen(each)).length;
      const isTooMuch = isOpen(entry) && waiting >= MOST_WAITING;
      const dropped = {
        outcome: 'dropped',
        nextAt: null,
        error: { code: 'TOO_MANY', message: 'too many wait already' },
      } as const;
      const over = isTooMuch || !isOpen(entry) ? now() : null;
      const kept = await put({ ...entry, ...(isTooMuch ? dropped : {}), id, attempts: 0, endedAt: over });
      await dropOld();
      return kept;
    },
    change: (entry, patch) => put({ ...entry, ...patch }),
    all: () => [...entries.values()].sort((a, b) => a.createdAt - b.createdAt),
    tellingOf({ id, state, title, text, sessionId, requestId, agent, project, createdAt, of }) {
      const items = of.slice(0, MOST_ITEMS).flatMap((each) => {
        const item = entries.get(each);
        return item ? [{ state: item.state, title: item.title, text: item.text, sessionId: item.sessionId }] : [];
      });
      const session = sessionId === null ? null : { id: sessionId, agent, project };
      return { id, state, title, text, session, requestId, createdAt, items };
    },
  };
}

/** Something will still become of it. */
export function isOpen({ outcome }: Pick<Entry, 'outcome'>): boolean {
  return outcome === 'waiting' || outcome === 'held' || outcome === 'sending';
}

export function shownEntry({ key: _, agent: __, project: ___, of: ____, ...entry }: Entry): Notification {
  return entry;
}

function idOf({ sessionId, key, target }: Pick<Entry, 'sessionId' | 'key' | 'target'>): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([sessionId, key, target]))
    .digest('hex');
  return `n${digest.slice(0, 23)}`;
}
