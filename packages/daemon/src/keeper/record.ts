import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf, isRecord, readRegularFileSync, stillAlive } from '@agent-mux/core';
import { KeeperError } from './keeper-error.ts';
import type { KeeperRecord } from './protocol.ts';

const RECORD_LIMIT = 64 * 1024;

/** Start time of this process. */
export function processStartTime(): string {
  return identityOf(process.pid)?.startTime ?? '';
}

/** Path of the keeper's record in the folder of each session it holds. */
export function recordPath(folder: string): string {
  return join(folder, 'keeper.json');
}

/** Undefined if the record is missing or unreadable. */
export function readRecord(folder: string): KeeperRecord | undefined {
  try {
    const text = readRegularFileSync(recordPath(folder), { limit: RECORD_LIMIT, followLinks: false }).toString('utf8');
    return asRecord(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Whether the process that wrote the record is alive. Detects reused pids. */
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
 * Claims a session for this keeper before anything is done for it. Throws KEEPER_EXISTS if another live keeper has
 * claimed it, so only one of two concurrently started keepers proceeds. Removes the record of a dead keeper. Creates
 * the folder if it is missing, as for a session that joins a running keeper.
 */
export function claimFolder(folder: string, record: KeeperRecord): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = recordPath(folder);
  const written = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(written, `${JSON.stringify(record)}\n`, { mode: 0o600, flag: 'wx' });
    // A hard link appears with its content and never replaces an existing file.
    while (!tryToLink(written, path)) {
      const other = readRecord(folder);
      if (other && isKeeperAlive(other)) throw keeperExists(folder, other);
      removeStaleRecord(folder);
    }
  } finally {
    rmSync(written, { force: true });
  }
}

/** Removes the record if it still belongs to this keeper. */
export function releaseFolder(folder: string, record: KeeperRecord): void {
  if (holdsFolder(folder, record)) rmSync(recordPath(folder), { force: true });
}

/** False if the folder was deleted or another keeper has claimed it. */
export function holdsFolder(folder: string, { pid, startTime }: KeeperRecord): boolean {
  const found = readRecord(folder);
  return found?.pid === pid && found.startTime === startTime;
}

/** Removes the record and socket of a killed keeper. Leaves those of a live keeper alone. */
export function removeStaleRecord(folder: string): void {
  const path = recordPath(folder);
  const aside = `${path}.${randomBytes(6).toString('hex')}.old`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const record = readAside(aside);
  // Another keeper may have claimed the folder between the check and the rename.
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

function keeperExists(folder: string, { pid }: KeeperRecord): KeeperError {
  return new KeeperError('KEEPER_EXISTS', `${folder} is already in use by process ${pid}`, 'connect to it');
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
