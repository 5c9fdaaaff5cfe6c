import { hashSecret, makeSecret } from './secrets.ts';

/** Of links that nobody has used yet; the oldest goes when there are more. */
const MOST_CODES = 100;

/** Codes that sign a browser in: each once, and soon. Kept in memory alone, so that none outlives the daemon. */
export interface LoginCodes {
  make(): { code: string; expiresAt: number };
  /** Whether it was good; it is not any more. */
  use(code: string): boolean;
}

export function createLoginCodes(clock: () => number, lifeMs: number): LoginCodes {
  const codes = new Map<string, number>();
  return {
    make() {
      const code = makeSecret();
      const expiresAt = clock() + lifeMs;
      const [oldest] = codes.keys();
      if (oldest !== undefined && codes.size >= MOST_CODES) codes.delete(oldest);
      codes.set(hashSecret(code), expiresAt);
      return { code, expiresAt };
    },
    use(code) {
      const hash = hashSecret(code);
      const expiresAt = codes.get(hash);
      codes.delete(hash);
      return expiresAt !== undefined && clock() < expiresAt;
    },
  };
}
