import { type Commit, StoreError } from '../store.ts';
import type { Connection, Transaction } from './connection.ts';
import type { EventLog } from './event-log.ts';
import { setMessage } from './messages.ts';
import { addRequest, setRequest } from './requests.ts';
import { setSession } from './sessions.ts';
import { addUsage } from './usage.ts';

/** In these a turn is over, and what it has left can be put together. */
const AT_REST = new Set(['idle', 'limited', 'exited']);

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
      `The events of session ${sessionId} go on with ${lastSeq + 1}, and a delivery begins with ${from}.`,
    );
  }
  checkLines(batch);
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
  if (batch.session.activity !== undefined && AT_REST.has(batch.session.activity)) log.settle(session);
}

/** A delivery that is out of order would be stored so for ever. */
function checkLines({ sessionId, from, to, lines }: Commit): void {
  let last = from - 1;
  for (const { seq, line } of lines) {
    if (!(seq > last && seq <= to)) {
      throw new TypeError(`a delivery of ${from} to ${to} of session ${sessionId} has ${seq} behind ${last}`);
    }
    if (line.includes('\n')) throw new TypeError(`event ${seq} of session ${sessionId} is more than a line`);
    last = seq;
  }
}
