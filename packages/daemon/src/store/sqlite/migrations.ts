import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../store.ts';
import { toStoreError } from './errors.ts';
import { createPrivateFile } from './private-file.ts';

/** In the file header; identifies our databases. */
export const APPLICATION_ID = 0x616d7578;

/** Migrates a database from the previous version. Versions are dense from 1; the first step creates the schema. */
export interface Step {
  to: number;
  migrate(db: DatabaseSync): void;
}

/**
 * Migrates a database to the newest version. Copies a non-empty one first. Refuses databases of a newer version or of
 * another program, and corrupt ones, without changing them.
 */
export function migrate(db: DatabaseSync, path: string, steps: readonly Step[]): void {
  const newest = steps.at(-1)?.to ?? 0;
  try {
    const found = inspect(db);
    if (!found.empty && found.application !== APPLICATION_ID) {
      throw new StoreError('CORRUPT', `${path} is a database of another program and was not changed`);
    }
    if (found.version > newest) {
      throw new StoreError(
        'NEWER',
        `the store ${path} has version ${found.version}, but this agent-mux supports versions up to ${newest}; use the newer agent-mux that wrote it`,
      );
    }
    if (found.empty) db.exec('PRAGMA auto_vacuum = INCREMENTAL');
    db.exec('PRAGMA journal_mode = WAL');
    if (found.version === newest && !found.empty) return;
    if (!found.empty) copyDatabase(db, path, found.version);
    runSteps(db, steps);
  } catch (failure) {
    throw toStoreError(failure, path);
  }
}

function inspect(db: DatabaseSync): { empty: boolean; application: number; version: number } {
  const tables = db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get();
  return {
    empty: Number(tables?.tables) === 0,
    application: Number(db.prepare('PRAGMA application_id').get()?.application_id),
    version: versionOf(db),
  };
}

export function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version);
}

/** In one transaction, so that a failed step leaves the old version intact. */
function runSteps(db: DatabaseSync, steps: readonly Step[]): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    // Read again: another process may have migrated it.
    const version = versionOf(db);
    for (const step of steps) {
      if (step.to <= version) continue;
      step.migrate(db);
      db.exec(`PRAGMA user_version = ${step.to}`);
    }
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.exec('COMMIT');
  } catch (failure) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw failure;
  }
}

export const copyPath = (path: string, version: number): string => `${path}.v${version}.bak`;

/** Creates a complete and durable copy, or none. */
function copyDatabase(db: DatabaseSync, path: string, version: number): void {
  const copy = copyPath(path, version);
  const temporary = `${copy}.unfinished`;
  rmSync(temporary, { force: true });
  try {
    createPrivateFile(temporary);
    db.prepare('VACUUM INTO ?').run(temporary);
    const file = openSync(temporary, 'r+');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, copy);
  } finally {
    rmSync(temporary, { force: true });
  }
}
