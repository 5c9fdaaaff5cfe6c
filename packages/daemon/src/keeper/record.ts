import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf, isRecord, readRegularFileSync, stillAlive } from '@agent-mux/core';
import { KeeperError } from './keeper-error.ts';
import type { KeeperRecord } from './protocol.ts';

const RECORD_LIMIT = 64 * 1024;

/** Of this process. */
export function ownStartTime(): string {
  return identityOf(process.pid)?.startTime ?? '';
}

/** In the folder of each session that a keeper holds. */
export function recordPath(folder: string): string {
  return join(folder, 'keeper.json');
}

/** Undefined: there is none, or none that can be read. */
export function readRecord(folder: string): KeeperRecord | undefined {
  try {
    const text = readRegularFileSync(recordPath(folder), { limit: RECORD_LIMIT, followLinks: false }).toString('utf8');
    return asRecord(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The process that wrote it lives; one that got its pid later is another. */
export function isKeeperAlive({ pid, startTime }: Pick<KeeperRecord, 'pid' | 'startTime'>): boolean {
  if (startTime !== '') return stillAlive([{ pid, startTime }]).length > 0;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Says whose the session is, before anything is done for it. Throws KEEPER_THERE where a living keeper has said so before: of
 * two that were started for one session, one does nothing. What a dead one has left is removed. Creates the folder if it is missing:
 * a session that joins a running keeper has none yet.
 */
export function claimFolder(folder: string, record: KeeperRecord): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = recordPath(folder);
  const written = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(written, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: 'wx' });
    // A link appears with its content, and never in the place of another.
    while (!tryToLink(written, path)) {
      const other = readRecord(folder);
      if (other && isKeeperAlive(other)) throw keeperThere(folder, other);
      removeDead(folder);
    }
  } finally {
    rmSync(written, { force: true });
  }
}

/** Only if it is still this one's. */
export function releaseFolder(folder: string, record: KeeperRecord): void {
  if (holdsFolder(folder, record)) rmSync(recordPath(folder), { force: true });
}

/** False: the folder was deleted, or another keeper has claimed it. */
export function holdsFolder(folder: string, { pid, startTime }: KeeperRecord): boolean {
  const found = readRecord(folder);
  return found?.pid === pid && found.startTime === startTime;
}

/** What a keeper that was killed has left, so that nobody looks for it again. A living one's is left alone. */
export function removeDead(folder: string): void {
  const path = recordPath(folder);
  const aside = `${path}.${randomBytes(6).toString('hex')}.old`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const record = readAside(aside);
  // Between the look and the move another keeper may have come.
  if (record && isKeeperAlive(record)) tryToLink(aside, path);
  else if (record && process.platform !== 'win32') rmSync(record.socket, { force: true });
  rmSync(aside, { force: true });
}

function readAside(path: string): KeeperRecord | undefined {
  try {
    return asRecord(
      JSON.parse(readRegularFileSync(path, { limit: RECORD_LIMIT, followLinks: false }).toString('utf8')),
    );
  } catch {
    return undefined;
  }
}

function keeperThere(folder: string, { pid }: KeeperRecord): KeeperError {
  return new KeeperError('KEEPER_THERE', `process ${pid} holds ${folder} already`, 'connect to it');
}

function tryToLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (isRecord(error) && error.code === 'EEXIST') return false;
    throw error;
  }
}

function asRecord(value: unknown): KeeperRecord | undefined {
  if (!isRecord(value) || value.schema !== 'agent-mux.keeper/1') return undefined;
  const { protocol, version, pid, startTime, socket, group, mark } = value;
  if (typeof protocol !== 'number' || typeof version !== 'string' || typeof startTime !== 'string') return undefined;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0 || typeof socket !== 'string') return undefined;
  if (typeof group !== 'string' && group !== null) return undefined;
  const known = { protocol, version, pid, startTime, socket, group };
  return { schema: 'agent-mux.keeper/1', ...known, ...(typeof mark === 'string' ? { mark } : {}) };
}
