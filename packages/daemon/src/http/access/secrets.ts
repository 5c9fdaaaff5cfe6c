import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Compares hashes, which have equal length, so that the time reveals neither content nor length. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

export function hashSecret(secret: string): string {
  return digest(secret).toString('hex');
}

export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Letters and digits; unique and hard to guess. */
export function generateId(): string {
  return randomBytes(10).toString('hex');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
