import type { Store, StoreStats } from '../store.ts';
import { appendAudit, readAudit } from './audit.ts';
import { readChanges } from './changes.ts';
import { commitBatches } from './commit.ts';
import { type Connection, connect, readRevision } from './connection.ts';
import { recordDelivery } from './deliveries.ts';
import { openDurability } from './durability.ts';
import { toStoreError } from './errors.ts';
import { openEventLog } from './event-log.ts';
import { readEvents } from './event-rows.ts';
import { getMessage, insertMessage, listMessages, updateMessage } from './messages.ts';
import { versionOf } from './migrations.ts';
import { deleteRecord, dropRecords, getRecord, listRecords, putRecord } from './records.ts';
import { getRequest, listRequests, updateRequest } from './requests.ts';
import { fileBytes, retain } from './retention.ts';
import { STEPS } from './schema.ts';
import { listSessions } from './session-list.ts';
import {
  deleteSession,
  getSession,
  insertSession,
  listUnfinished,
  updateSession,
  updateWithLimit,
} from './sessions.ts';
import { readUsage } from './usage.ts';

export interface SqliteStoreOptions {
  now: () => number;
  /** Receives a message about corrupt content that was skipped. */
  report?: (problem: string) => void;
  /** Called after each write: null on success, else the storage error. */
  wrote?: (problem: string | null) => void;
}

/**
 * Opens the store in a SQLite file, creating it if missing. Throws StoreError NEWER, CORRUPT, FULL or UNWRITABLE. Calls
 * are executed synchronously, so they take effect in call order.
 */
export async function openStore(path: string, { now, report = () => {}, wrote }: SqliteStoreOptions): Promise<Store> {
  let connection: Connection;
  try {
    connection = connect(path, { now, report, wrote, steps: STEPS });
  } catch (failure) {
    throw toStoreError(failure, path);
  }
  const log = openEventLog(connection);
  const durability = openDurability(path);
  const call = async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (failure) {
      throw toStoreError(failure, path);
    }
  };
  let closed: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    await durability.close();
    connection.close();
  };

  return {
    insertSession: (session) => call(() => insertSession(connection, session)),
    getSession: (id) => call(() => getSession(connection, id)),
    updateSession: (id, patch) => call(() => updateSession(connection, id, patch)),
    updateWithLimit: (id, limitId, patch) => call(() => updateWithLimit(connection, id, limitId, patch)),
    listSessions: (query) => call(() => listSessions(connection, query)),
    listUnfinished: () => call(() => listUnfinished(connection)),
    deleteSession: (id) => call(() => deleteSession(connection, id)),
    commit: (batches) => call(() => commitBatches(connection, log, batches)),
    readEvents: (sessionId, after, limit, maxBytes = Number.POSITIVE_INFINITY) =>
      call(() => readEvents(connection, sessionId, after, limit, maxBytes)),
    sync: () => durability.sync(),
    insertMessage: (message) => call(() => insertMessage(connection, message)),
    getMessage: (sessionId, id) => call(() => getMessage(connection, sessionId, id)),
    updateMessage: (sessionId, id, patch) => call(() => updateMessage(connection, sessionId, id, patch)),
    listMessages: (sessionId, states) => call(() => listMessages(connection, sessionId, states)),
    getRequest: (id) => call(() => getRequest(connection, id)),
    listRequests: (query) => call(() => listRequests(connection, query)),
    updateRequest: (id, patch) => call(() => updateRequest(connection, id, patch)),
    readChanges: (after, limit) => call(() => readChanges(connection, after, limit)),
    revision: () => call(() => readRevision(connection.prepare)),
    readUsage: (query) => call(() => readUsage(connection, query)),
    appendAudit: (entry) => call(() => appendAudit(connection, entry)),
    readAudit: (query) => call(() => readAudit(connection, query)),
    getRecord: (kind, key) => call(() => getRecord(connection, kind, key)),
    putRecord: (kind, key, value, now) => call(() => putRecord(connection, kind, key, value, now)),
    deleteRecord: (kind, key) => call(() => deleteRecord(connection, kind, key)),
    listRecords: (kind) => call(() => listRecords(connection, kind)),
    dropRecords: (kind, olderThan) => call(() => dropRecords(connection, kind, olderThan)),
    recordDelivery: (delivery) => call(() => recordDelivery(connection, delivery)),
    retain: (limits) => call(() => retain(connection, limits)),
    stats: () => call(() => readStats(connection)),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

function readStats(connection: Connection): StoreStats {
  const row = connection.prepare('SELECT count(*) AS sessions, total(events) AS events FROM sessions').get();
  return {
    sessions: Number(row?.sessions),
    events: Number(row?.events),
    bytes: fileBytes(connection),
    schemaVersion: versionOf(connection.db),
  };
}
