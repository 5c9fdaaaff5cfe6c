import type { Message } from '@agent-mux/api';
import { MessageSchema } from '@agent-mux/api/schemas';
import type { MessageChange, StoredMessage } from '../store.ts';
import type { Connection, Transaction } from './connection.ts';
import { decodeRow, decodeRows, defineTable, insertRow, isEmptyChange, updateRow } from './rows.ts';
import { touchSession } from './sessions.ts';
import { removeTombstone } from './tombstones.ts';

export const MESSAGES = defineTable<Message>(
  'messages',
  {
    id: 'plain',
    sessionId: 'plain',
    text: 'plain',
    files: 'json',
    mode: 'plain',
    state: 'plain',
    error: 'json',
    by: 'plain',
    createdAt: 'plain',
    acceptedAt: 'plain',
    endedAt: 'plain',
    rev: 'plain',
  },
  MessageSchema,
);

export function insertMessage(connection: Connection, message: StoredMessage): { message: Message; isNew: boolean } {
  return connection.transact((transaction) => {
    const there = getMessage(connection, message.sessionId, message.id);
    if (there) return { message: there, isNew: false };
    if (!connection.prepare('SELECT 1 FROM sessions WHERE id = ?').get(message.sessionId)) {
      throw new Error(`session ${message.sessionId} of message ${message.id} not found`);
    }
    insertRow(connection, MESSAGES, message, transaction.nextRev());
    removeTombstone(connection, 'message', message.id, message.sessionId);
    if (message.state === 'queued') touchSession(connection, transaction, message.sessionId);
    const inserted = getMessage(connection, message.sessionId, message.id);
    if (!inserted) throw new TypeError(`message ${message.id} lacks a field`);
    return { message: inserted, isNew: true };
  });
}

export function getMessage(connection: Connection, sessionId: string, id: string): Message | null {
  const row = connection.prepare('SELECT * FROM messages WHERE session_id = ? AND id = ?').get(sessionId, id);
  return row ? decodeRow(connection, MESSAGES, row) : null;
}

export function updateMessage(
  connection: Connection,
  sessionId: string,
  id: string,
  change: MessageChange,
): Message | null {
  return connection.transact((transaction) => {
    if (setMessage(connection, transaction, sessionId, id, change)) touchSession(connection, transaction, sessionId);
    return getMessage(connection, sessionId, id);
  });
}

/** Returns whether the number of queued messages changed. */
export function setMessage(
  connection: Connection,
  transaction: Transaction,
  sessionId: string,
  id: string,
  change: MessageChange,
): boolean {
  if (isEmptyChange(change)) return false;
  const before = connection
    .prepare('SELECT state, text FROM messages WHERE session_id = ? AND id = ?')
    .get(sessionId, id);
  if (!before) return false;
  if (change.text !== undefined && change.text !== before.text) connection.noteErased();
  const where = { sql: 'session_id = ? AND id = ?', values: [sessionId, id] };
  updateRow(connection, MESSAGES, change, transaction.nextRev(), where);
  return change.state !== undefined && (before.state === 'queued') !== (change.state === 'queued');
}

/** In insertion order, since clocks may jump. */
export function listMessages(
  connection: Connection,
  sessionId: string,
  states: readonly Message['state'][] | undefined,
): Message[] {
  const among = states ? 'AND state IN (SELECT value FROM json_each(?))' : '';
  const rows = connection
    .prepare(`SELECT * FROM messages WHERE session_id = ? ${among} ORDER BY key`)
    .all(sessionId, ...(states ? [JSON.stringify(states)] : []));
  return decodeRows(connection, MESSAGES, rows);
}
