import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Compared by their hashes, which have one length: neither content nor length is told by the time it takes. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

export function hashSecret(secret: string): string {
  return digest(secret).toString('hex');
}

export function makeSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Letters and digits, too many to be guessed or to meet another. */
export function makeId(): string {
  return randomBytes(10).toString('hex');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
