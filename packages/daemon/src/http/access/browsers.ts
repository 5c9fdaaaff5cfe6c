import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import type { Store } from '../../store/store.ts';
import { generateId, generateSecret } from './secrets.ts';

const KIND = 'browser';
/** Minimum interval between updates of `lastSeenAt`. */
const SEEN_INTERVAL_MS = 60_000;
/** Maximum number of cached signatures; more than a person has tabs. The oldest is dropped. */
const MAX_CHECKED = 500;

const BrowserRecord = z.object({
  /** Raw point of its P-256 key (base64url). The private key never leaves the browser. */
  publicKey: z.string(),
  name: z.string(),
  createdAt: z.number(),
  lastSeenAt: z.number(),
  expiresAt: z.number(),
});
type BrowserRecord = z.infer<typeof BrowserRecord>;

interface SignedInBrowser extends Omit<BrowserRecord, 'publicKey'> {
  id: string;
}

export interface Browsers {
  /** Public, and new with each start of the daemon, which invalidates earlier signatures. */
  readonly nonce: string;
  /** Null if the key is not a P-256 point. */
  signIn(name: string, publicKey: string): Promise<string | null>;
  /** The id of the browser that signed for this origin and nonce; null if it is not signed in. */
  recognize(credential: string, origin: string): Promise<string | null>;
  list(): Promise<SignedInBrowser[]>;
  signOut(id: string): Promise<boolean>;
}

/** The text that the page signs. Includes the origin, so that a signature for another port is refused. */
function signedText(origin: string, nonce: string): string {
  return `agent-mux browser\n${origin}\n${nonce}`;
}

export function createBrowsers(store: Store, clock: () => number, lifeMs: number): Browsers {
  const nonce = generateSecret();
  const checked = new Set<string>();
  const read = async (id: string) => BrowserRecord.safeParse(await store.getRecord(KIND, id)).data ?? null;

  /** Verifies each signature once; the cache includes the public key. */
  function isSigned(publicKey: string, signature: string, origin: string): boolean {
    const fact = `${publicKey} ${origin} ${signature}`;
    if (checked.has(fact)) return true;
    const key = keyOf(publicKey);
    const text = Buffer.from(signedText(origin, nonce));
    const bytes = Buffer.from(signature, 'base64url');
    if (!key || !verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, bytes)) return false;
    const [oldest] = checked;
    if (oldest !== undefined && checked.size >= MAX_CHECKED) checked.delete(oldest);
    checked.add(fact);
    return true;
  }

  return {
    nonce,

    async signIn(name, publicKey) {
      if (!keyOf(publicKey)) return null;
      const id = generateId();
      const now = clock();
      const record: BrowserRecord = { publicKey, name, createdAt: now, lastSeenAt: now, expiresAt: now + lifeMs };
      await store.putRecord(KIND, id, record, now);
      return id;
    },

    async recognize(credential, origin) {
      const [, id, signature] = /^([a-z0-9]{1,40})\.([\w-]{86})$/.exec(credential) ?? [];
      if (id === undefined || signature === undefined) return null;
      const record = await read(id);
      if (!record || !isSigned(record.publicKey, signature, origin)) return null;
      const now = clock();
      if (now >= record.expiresAt) {
        await store.deleteRecord(KIND, id);
        return null;
      }
      if (now - record.lastSeenAt >= SEEN_INTERVAL_MS) {
        await store.putRecord(KIND, id, { ...record, lastSeenAt: now }, now);
      }
      return id;
    },

    async list() {
      const now = clock();
      return (await store.listRecords(KIND)).flatMap(({ key, value }) => {
        const { data } = BrowserRecord.safeParse(value);
        if (!data || now >= data.expiresAt) return [];
        const { publicKey: _, ...rest } = data;
        return [{ id: key, ...rest }];
      });
    },

    signOut: (id) => store.deleteRecord(KIND, id),
  };
}

function keyOf(publicKey: string) {
  const point = Buffer.from(publicKey, 'base64url');
  if (point.length !== 65 || point[0] !== 4) return null;
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  try {
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  } catch {
    return null;
  }
}
