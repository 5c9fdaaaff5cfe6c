import { generateSecret, hashSecret } from './secrets.ts';

/** Maximum number of unused codes. The oldest is dropped. */
const MAX_CODES = 100;

/** Single-use, short-lived codes that sign in a browser. Held in memory only, so that none outlives the daemon. */
export interface LoginCodes {
  create(): { code: string; expiresAt: number };
  /** Whether the code was valid. Invalidates it. */
  use(code: string): boolean;
}

export function createLoginCodes(clock: () => number, lifeMs: number): LoginCodes {
  const codes = new Map<string, number>();
  return {
    create() {
      const code = generateSecret();
      const expiresAt = clock() + lifeMs;
      const [oldest] = codes.keys();
      if (oldest !== undefined && codes.size >= MAX_CODES) codes.delete(oldest);
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
