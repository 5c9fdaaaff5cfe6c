import { createHash } from 'node:crypto';
import type { Notification } from '@agent-mux/api';
import { NotificationSchema } from '@agent-mux/api/schemas';
import { z } from 'zod';
import type { Store } from '../store/store.ts';
import type { OutgoingNotification } from './send-error.ts';

/** A stored notification. */
const EntrySchema = NotificationSchema.extend({
  /** What it is about, so that it is sent once. */
  key: z.string(),
  agent: z.string(),
  project: z.string(),
  /** Ids of the entries in a summary. */
  of: z.array(z.string()),
});
export type Entry = z.infer<typeof EntrySchema>;

const RECORD = 'notification';
/** How long, and how many, finished entries are stored, to detect duplicates. */
const RETENTION_MS = 7 * 24 * 3_600_000;
const MAX_STORED = 1_000;
/** Maximum number of entries waiting for one target; further ones are dropped with an error. */
const MAX_WAITING = 200;
/** Maximum number of items in a summary. */
const MAX_ITEMS = 20;

/** All notifications, pending or finished; each is stored before anything is sent. */
export interface Outbox {
  load(): Promise<void>;
  /** Null if the entry exists already. */
  add(entry: NewEntry): Promise<Entry | null>;
  change(entry: Entry, patch: Partial<Entry>): Promise<Entry>;
  /** Oldest first. */
  all(): Entry[];
  notificationOf(entry: Entry): OutgoingNotification;
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
    const spare = Math.max(0, entries.size - MAX_STORED);
    const old = over.filter(({ createdAt }, at) => at < spare || createdAt < now() - RETENTION_MS);
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
        else log(`notification ${key} cannot be parsed and is skipped`);
      }
    },
    async add(entry) {
      const id = idOf(entry);
      if (entries.has(id)) return null;
      const waiting = [...entries.values()].filter((each) => each.target === entry.target && isOpen(each)).length;
      const isTooMuch = isOpen(entry) && waiting >= MAX_WAITING;
      const dropped = {
        outcome: 'dropped',
        nextAttemptAt: null,
        error: { code: 'TOO_MANY', message: 'too many notifications are waiting for this target' },
      } as const;
      const over = isTooMuch || !isOpen(entry) ? now() : null;
      const stored = await put({ ...entry, ...(isTooMuch ? dropped : {}), id, attempts: 0, endedAt: over });
      await dropOld();
      return stored;
    },
    change: (entry, patch) => put({ ...entry, ...patch }),
    all: () => [...entries.values()].sort((a, b) => a.createdAt - b.createdAt),
    notificationOf({ id, state, title, text, sessionId, requestId, agent, project, createdAt, of }) {
      const items = of.slice(0, MAX_ITEMS).flatMap((each) => {
        const item = entries.get(each);
        return item ? [{ state: item.state, title: item.title, text: item.text, sessionId: item.sessionId }] : [];
      });
      const session = sessionId === null ? null : { id: sessionId, agent, project };
      return { id, state, title, text, session, requestId, createdAt, items };
    },
  };
}

/** The outcome is not final yet. */
export function isOpen({ outcome }: Pick<Entry, 'outcome'>): boolean {
  return outcome === 'pending' || outcome === 'held' || outcome === 'sending';
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
