import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { StoreError } from '../store.ts';
import { nameFailure } from './errors.ts';
import { makePrivateFile } from './private-file.ts';

/** In the file's header: a database of another program is never taken for ours. */
export const APPLICATION_ID = 0x616d7578;

/** What brings a database from the version before to this one. Versions are dense from 1; the first step makes everything. */
export interface Step {
  to: number;
  migrate(db: DatabaseSync): void;
}

/**
 * Brings a database to the newest version. One with content is copied before it is changed; a newer one, another program's and
 * a broken one are refused as they stand.
 */
export function migrate(db: DatabaseSync, path: string, steps: readonly Step[]): void {
  const newest = steps.at(-1)?.to ?? 0;
  try {
    const found = inspect(db);
    if (!found.empty && found.application !== APPLICATION_ID) {
      throw new StoreError('BROKEN', `${path} is a database of another program. It was left as it is.`);
    }
    if (found.version > newest) {
      throw new StoreError(
        'NEWER',
        `The store ${path} is of version ${found.version}, and this agent-mux knows versions up to ${newest}. Use the newer agent-mux that wrote it.`,
      );
    }
    if (found.empty) db.exec('PRAGMA auto_vacuum = INCREMENTAL');
    db.exec('PRAGMA journal_mode = WAL');
    if (found.version === newest && !found.empty) return;
    if (!found.empty) copyBeside(db, path, found.version);
    takeSteps(db, steps);
  } catch (failure) {
    throw nameFailure(failure, path);
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

/** In one transaction, so that a step that fails leaves the old version whole. */
function takeSteps(db: DatabaseSync, steps: readonly Step[]): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    // Read again: another process may have been faster.
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

/** Whole and durable under its name, or not there. */
function copyBeside(db: DatabaseSync, path: string, version: number): void {
  const copy = copyPath(path, version);
  const unfinished = `${copy}.unfinished`;
  rmSync(unfinished, { force: true });
  try {
    makePrivateFile(unfinished);
    db.prepare('VACUUM INTO ?').run(unfinished);
    const file = openSync(unfinished, 'r+');
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, copy);
  } finally {
    rmSync(unfinished, { force: true });
  }
}
