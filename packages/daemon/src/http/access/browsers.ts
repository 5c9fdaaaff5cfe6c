import { z } from 'zod';
import type { Store } from '../../store/store.ts';
import { hashSecret, isSameSecret, makeId, makeSecret } from './secrets.ts';

const KIND = 'browser';
/** When a browser was last seen is written down no more often than this. */
const SEEN_STEP_MS = 60_000;

const BrowserRecord = z.object({
  /** Of the secret in its cookie, which is kept nowhere else. */
  hash: z.string(),
  name: z.string(),
  createdAt: z.number(),
  lastSeenAt: z.number(),
  expiresAt: z.number(),
});
type BrowserRecord = z.infer<typeof BrowserRecord>;

interface SignedInBrowser extends Omit<BrowserRecord, 'hash'> {
  id: string;
}

export interface Browsers {
  signIn(name: string): Promise<{ cookie: string; id: string }>;
  /** The id of the browser whose cookie this is; null: nobody's, or no longer. */
  recognise(cookie: string): Promise<string | null>;
  list(): Promise<SignedInBrowser[]>;
  signOut(id: string): Promise<boolean>;
}

export function createBrowsers(store: Store, clock: () => number, lifeMs: number): Browsers {
  const read = async (id: string) => BrowserRecord.safeParse(await store.getRecord(KIND, id)).data ?? null;
  return {
    async signIn(name) {
      const id = makeId();
      const secret = makeSecret();
      const now = clock();
      const record: BrowserRecord = {
        hash: hashSecret(secret),
        name,
        createdAt: now,
        lastSeenAt: now,
        expiresAt: now + lifeMs,
      };
      await store.putRecord(KIND, id, record, now);
      return { id, cookie: `${id}.${secret}` };
    },

    async recognise(cookie) {
      const [, id, secret] = /^([a-z0-9]{1,40})\.([\w-]{1,100})$/.exec(cookie) ?? [];
      if (id === undefined || secret === undefined) return null;
      const record = await read(id);
      if (!record || !isSameSecret(record.hash, hashSecret(secret))) return null;
      const now = clock();
      if (now >= record.expiresAt) {
        await store.deleteRecord(KIND, id);
        return null;
      }
      if (now - record.lastSeenAt >= SEEN_STEP_MS) {
        await store.putRecord(KIND, id, { ...record, lastSeenAt: now }, now);
      }
      return id;
    },

    async list() {
      const now = clock();
      return (await store.listRecords(KIND)).flatMap(({ key, value }) => {
        const { data } = BrowserRecord.safeParse(value);
        if (!data || now >= data.expiresAt) return [];
        const { hash: _, ...rest } = data;
        return [{ id: key, ...rest }];
      });
    },

    signOut: (id) => store.deleteRecord(KIND, id),
  };
}
