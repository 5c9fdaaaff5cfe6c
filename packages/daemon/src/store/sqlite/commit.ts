import { type Commit, StoreError } from '../store.ts';
import type { Connection, Transaction } from './connection.ts';
import type { EventLog } from './event-log.ts';
import { setMessage } from './messages.ts';
import { addRequest, setRequest } from './requests.ts';
import { setSession } from './sessions.ts';
import { addUsage } from './usage.ts';

/** Activities after a turn, when its event rows can be merged. */
const RESTING_ACTIVITIES = new Set(['idle', 'limited', 'exited']);

export function commitBatches(connection: Connection, log: EventLog, batches: readonly Commit[]): void {
  try {
    connection.transact((transaction) => {
      for (const batch of batches) commitBatch(connection, log, transaction, batch);
    });
  } catch (failure) {
    log.forget();
    throw failure;
  }
}

function commitBatch(connection: Connection, log: EventLog, transaction: Transaction, batch: Commit): void {
  const { sessionId, from, to } = batch;
  const found = connection.prepare('SELECT key, last_seq FROM sessions WHERE id = ?').get(sessionId);
  if (!found) return;
  const session = Number(found.key);
  const lastSeq = Number(found.last_seq);
  if (to <= lastSeq) return;
  if (from > lastSeq + 1) {
    throw new StoreError(
      'GAP',
      `expected event ${lastSeq + 1} of session ${sessionId} next, but the batch starts at ${from}`,
    );
  }
  assertLines(batch);
  const lines = batch.lines.filter(({ seq }) => seq > lastSeq);
  log.append(session, lines, { lastSeq, to });
  for (const request of batch.requests) addRequest(connection, transaction, request);
  for (const { id, change } of batch.requestChanges) setRequest(connection, transaction, id, change);
  for (const { id, change } of batch.messageChanges) setMessage(connection, transaction, sessionId, id, change);
  for (const delta of batch.usage) {
    if ((delta.seq ?? to) > lastSeq) addUsage(connection, sessionId, delta);
  }
  connection.prepare('UPDATE sessions SET events = events + ? WHERE key = ?').run(lines.length, session);
  setSession(connection, transaction, sessionId, { updatedAt: batch.now, ...batch.session, lastSeq: to });
  if (batch.session.activity !== undefined && RESTING_ACTIVITIES.has(batch.session.activity)) log.compact(session);
}

/** Rejects lines that are out of order: they would stay so in the store. */
function assertLines({ sessionId, from, to, lines }: Commit): void {
  let last = from - 1;
  for (const { seq, line } of lines) {
    if (!(seq > last && seq <= to)) {
      throw new TypeError(`batch ${from} to ${to} of session ${sessionId} has ${seq} after ${last}`);
    }
    if (line.includes('\n')) throw new TypeError(`event ${seq} of session ${sessionId} has more than one line`);
    last = seq;
  }
}
