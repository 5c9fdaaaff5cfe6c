import { open } from 'node:fs/promises';
import { parse } from 'jsonc-parser';
import type { Platform } from '../contract/capabilities.ts';
import type { AuthMethodType, AuthState } from '../contract/surroundings.ts';
import { isRecord, valueAt } from '../values.ts';
import { expandPath } from './paths.ts';

/**
 * Something on this machine whose presence means that somebody is logged in. Nothing is sent anywhere, nothing is
 * written, and no value is kept: only whether it is there.
 */
export type AuthCheck = { platforms?: readonly Platform[] } & (
  | { env: string; method: AuthMethodType }
  /** `key`: a dotted path within the JSON file that must hold something, for files that exist without a login. */
  | { file: string; key?: string; method: AuthMethodType }
  /** A login may be where it cannot be looked for (a keychain): without another sign the answer is `unknown`. */
  | { unseen: string }
);

/** More of a login file is not read; a larger one counts as present only without `key`. */
export const AUTH_FILE_LIMIT = 1024 * 1024;

export async function checkAuth(
  checks: readonly AuthCheck[],
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Promise<AuthState> {
  const here = checks.filter((check) => !check.platforms || check.platforms.some((name) => name === platform));
  let blindSpot: string | undefined = checks.length === 0 ? 'this adapter does not say how a login looks' : undefined;
  for (const check of here) {
    if ('unseen' in check) blindSpot ??= check.unseen;
    else if ('env' in check) {
      if (env[check.env]) return { status: 'authenticated', method: check.method, details: `${check.env} is set` };
    } else {
      const found = await fileHolds(expandPath(check.file, env), check.key);
      if (found === true) return { status: 'authenticated', method: check.method, details: `${check.file} is present` };
      if (found === 'unreadable') blindSpot ??= `${check.file} cannot be read`;
    }
  }
  return blindSpot === undefined ? { status: 'unauthenticated' } : { status: 'unknown', details: blindSpot };
}

async function fileHolds(path: string, key: string | undefined): Promise<boolean | 'unreadable'> {
  try {
    await using file = await open(path, 'r');
    const { size } = await file.stat();
    if (key === undefined) return size > 0;
    if (size > AUTH_FILE_LIMIT) return 'unreadable';
    return isPresent(valueAt(parse(await file.readFile('utf8')), key));
  } catch (error) {
    return isRecord(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR') ? false : 'unreadable';
  }
}

function isPresent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '' && value !== false;
}
