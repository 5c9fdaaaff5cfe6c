import { constants } from 'node:fs';
import { parseEnv } from 'node:util';
import type { AuthMethodType, AuthState, ConfigFormat } from '../contract/auth-and-config.ts';
import type { Platform } from '../contract/capabilities.ts';
import { expandPath, showPath } from '../files/paths.ts';
import { isMissing, openRegularFile, readRegularFile } from '../files/regular-file.ts';
import { codecOf } from '../native-config/codecs.ts';
import { isRecord, valueAt } from '../values.ts';

/**
 * A sign on this machine that the agent is logged in. Nothing is sent or written, and no value is stored: only whether
 * it is present.
 */
export type AuthCheck = { platforms?: readonly Platform[] } & (
  | { env: string; method: AuthMethodType }
  | AuthFile
  | AuthDatabase
  /** A login may exist where it cannot be checked (a keychain): without another sign the status is `unknown`. */
  | { unseen: string }
);

export interface AuthFile {
  file: string;
  method: AuthMethodType;
  /** Dotted path within the file that must have a value, for files that exist without a login. */
  key?: string;
  /** Default `json`, comments allowed. `dotenv`: lines of `NAME=value`, which agents load into their environment. */
  format?: ConfigFormat | 'dotenv';
  /** The logged-in user, if the file contains it. Never a secret. */
  identity?(content: unknown): string | undefined;
  /** Epoch milliseconds. Omitted for a login that the agent renews automatically. */
  expiresAt?(content: unknown): number | undefined;
}

export interface AuthDatabase {
  /** Path of a SQLite file. */
  database: string;
  method: AuthMethodType;
  /** Query with one row per login; the first column names it and is displayed, so it must not be a secret. */
  logins: string;
}

/** How long to wait while an agent writes to the database. */
const BUSY_MS = 1000;
/** Maximum number of logins to name. */
const NAMED_LOGINS = 5;

/** Maximum size of a login file to read; a larger one counts as present only without `key`. */
export const AUTH_FILE_LIMIT = 1024 * 1024;

export async function checkAuth(
  checks: readonly AuthCheck[],
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  now: number = Date.now(),
): Promise<AuthState> {
  const here = checks.filter((check) => !check.platforms || check.platforms.some((name) => name === platform));
  let blindSpot: string | undefined = checks.length === 0 ? 'this adapter cannot detect logins' : undefined;
  let expired: AuthState | undefined;
  for (const check of here) {
    if ('unseen' in check) blindSpot ??= check.unseen;
    else if ('env' in check) {
      if (env[check.env]) return { status: 'authenticated', method: check.method, details: `${check.env} is set` };
    } else if ('database' in check) {
      const path = expandPath(check.database, env);
      const found = await loginsIn(path, check.logins);
      if (found === 'unreadable') blindSpot ??= `${showPath(path, env)} cannot be read`;
      else if (found.length > 0) {
        const details = `${showPath(path, env)} has a login for ${found.slice(0, NAMED_LOGINS).join(', ')}`;
        return { status: 'authenticated', method: check.method, details };
      }
    } else {
      const path = expandPath(check.file, env);
      const shown = showPath(path, env);
      const found = await inspectFile(path, check, now);
      if (found === 'unreadable') blindSpot ??= `${shown} cannot be read`;
      else if (found?.status === 'expired') expired ??= { ...found, details: `${shown} has expired` };
      else if (found) return { ...found, details: `${shown} is present` };
    }
  }
  if (expired) return expired;
  return blindSpot === undefined ? { status: 'unauthenticated' } : { status: 'unknown', details: blindSpot };
}

async function inspectFile(path: string, check: AuthFile, now: number): Promise<AuthState | undefined | 'unreadable'> {
  try {
    const { size } = await sizeOf(path);
    if (size === 0) return undefined;
    const plain: AuthState = { status: 'authenticated', method: check.method };
    if (check.key === undefined && !check.identity && !check.expiresAt) return plain;
    if (size > AUTH_FILE_LIMIT) return check.key === undefined ? plain : 'unreadable';
    const content = await parse((await readRegularFile(path, { limit: AUTH_FILE_LIMIT })).toString('utf8'), check);
    if (check.key !== undefined && !isPresent(valueAt(content, check.key))) return undefined;
    return { ...plain, ...readKnown(check, content, now) };
  } catch (error) {
    return isMissing(error) ? undefined : 'unreadable';
  }
}

async function parse(text: string, { format = 'json' }: AuthFile): Promise<unknown> {
  return format === 'dotenv' ? parseEnv(text) : (await codecOf(format)).parse(text);
}

async function loginsIn(path: string, query: string): Promise<string[] | 'unreadable'> {
  try {
    if ((await sizeOf(path)).size === 0) return [];
    const { DatabaseSync } = await import('node:sqlite');
    using database = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
    const rows = database.prepare(query).all();
    return rows.map((row) =>
      String(Object.values(row)[0])
        .replace(/\p{Cc}/gu, ' ')
        .slice(0, 80),
    );
  } catch (error) {
    return isMissing(error) ? [] : 'unreadable';
  }
}

async function sizeOf(path: string): Promise<{ size: number }> {
  await using file = await openRegularFile(path, constants.O_RDONLY);
  return file.stat();
}

/** A file in an unknown form has fewer details but still counts as a login. */
function readKnown(check: AuthFile, content: unknown, now: number): Partial<AuthState> {
  const identity = readQuietly(() => check.identity?.(content));
  const expiresAt = readQuietly(() => check.expiresAt?.(content));
  const known: Partial<AuthState> = {};
  if (typeof identity === 'string' && identity !== '') known.identity = identity;
  if (typeof expiresAt !== 'number' || !Number.isFinite(expiresAt) || expiresAt <= 0) return known;
  return { ...known, expiresAt, ...(expiresAt <= now ? { status: 'expired' as const } : {}) };
}

function readQuietly(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function isPresent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isRecord(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '' && value !== false;
}
