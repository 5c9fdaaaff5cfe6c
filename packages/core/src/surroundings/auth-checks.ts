import { open } from 'node:fs/promises';
import type { Platform } from '../contract/capabilities.ts';
import type { AuthMethodType, AuthState, ConfigFormat } from '../contract/surroundings.ts';
import { isRecord, valueAt } from '../values.ts';
import { codecOf } from './config-codecs.ts';
import { expandPath } from './paths.ts';

/**
 * Something on this machine whose presence means that somebody is logged in. Nothing is sent anywhere, nothing is
 * written, and no value is kept: only whether it is there.
 */
export type AuthCheck = { platforms?: readonly Platform[] } & (
  | { env: string; method: AuthMethodType }
  | AuthFile
  /** A login may be where it cannot be looked for (a keychain): without another sign the answer is `unknown`. */
  | { unseen: string }
);

export interface AuthFile {
  file: string;
  method: AuthMethodType;
  /** A dotted path within the file that must hold something, for files that exist without a login. */
  key?: string;
  /** Default `json`, comments allowed. */
  format?: ConfigFormat;
  /** Who it is, where the file tells. Never a secret. */
  identity?(content: unknown): string | undefined;
  /** Epoch milliseconds. A login that the agent renews by itself has no end that matters. */
  expiresAt?(content: unknown): number | undefined;
}

/** More of a login file is not read; a larger one counts as present only without `key`. */
export const AUTH_FILE_LIMIT = 1024 * 1024;

export async function checkAuth(
  checks: readonly AuthCheck[],
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  now: number = Date.now(),
): Promise<AuthState> {
  const here = checks.filter((check) => !check.platforms || check.platforms.some((name) => name === platform));
  let blindSpot: string | undefined = checks.length === 0 ? 'this adapter does not say how a login looks' : undefined;
  let expired: AuthState | undefined;
  for (const check of here) {
    if ('unseen' in check) blindSpot ??= check.unseen;
    else if ('env' in check) {
      if (env[check.env]) return { status: 'authenticated', method: check.method, details: `${check.env} is set` };
    } else {
      const found = await lookInto(expandPath(check.file, env), check, now);
      if (found === 'unreadable') blindSpot ??= `${check.file} cannot be read`;
      else if (found?.status === 'expired') expired ??= found;
      else if (found) return found;
    }
  }
  if (expired) return expired;
  return blindSpot === undefined ? { status: 'unauthenticated' } : { status: 'unknown', details: blindSpot };
}

async function lookInto(path: string, check: AuthFile, now: number): Promise<AuthState | undefined | 'unreadable'> {
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    if (size === 0) return undefined;
    const plain = { status: 'authenticated', method: check.method, details: `${check.file} is present` } as const;
    if (check.key === undefined && !check.identity && !check.expiresAt) return plain;
    if (size > AUTH_FILE_LIMIT) return check.key === undefined ? plain : 'unreadable';
    const codec = await codecOf(check.format ?? 'json');
    const content = codec.parse(await file.readFile('utf8'));
    if (check.key !== undefined && !isPresent(valueAt(content, check.key))) return undefined;
    const identity = check.identity?.(content);
    const expiresAt = check.expiresAt?.(content);
    const known = { ...(identity ? { identity } : {}), ...(expiresAt ? { expiresAt } : {}) };
    if (expiresAt !== undefined && expiresAt <= now) return { ...plain, ...known, status: 'expired' };
    return { ...plain, ...known };
  } catch (error) {
    return isRecord(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR') ? undefined : 'unreadable';
  }
}

function isPresent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '' && value !== false;
}
