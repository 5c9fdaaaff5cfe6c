import type { Request } from '@agent-mux/api';
import { RequestSchema } from '@agent-mux/api/schemas';
import { z } from 'zod';
import type { Page, RequestChange, RequestQuery, StoredRequest } from '../store.ts';
import { addPrefix, createConditions } from './conditions.ts';
import type { Connection, Transaction } from './connection.ts';
import { cutPage, readCursor } from './cursor.ts';
import { decodeRow, decodeRows, defineTable, insertRow, isEmptyChange, updateRow } from './rows.ts';
import { touchSession } from './sessions.ts';
import { removeTombstone } from './tombstones.ts';

export const REQUESTS = defineTable<Request>(
  'requests',
  {
    id: 'plain',
    sessionId: 'plain',
    agent: 'plain',
    launch: 'plain',
    agentRequestId: 'plain',
    kind: 'plain',
    event: 'json',
    state: 'plain',
    outcome: 'plain',
    by: 'plain',
    answer: 'json',
    snoozedUntil: 'plain',
    createdAt: 'plain',
    resolvedAt: 'plain',
    rev: 'plain',
  },
  RequestSchema,
);
const PositionSchema = z.tuple([z.number(), z.string()]);

/** Leaves an existing row unchanged: it may have been answered. Returns whether the session's count changed. */
export function addRequest(connection: Connection, transaction: Transaction, request: StoredRequest): boolean {
  if (connection.prepare('SELECT 1 FROM requests WHERE id = ?').get(request.id)) return false;
  insertRow(connection, REQUESTS, request, transaction.nextRev());
  removeTombstone(connection, 'request', request.id);
  return request.state === 'open';
}

export function getRequest(connection: Connection, id: string): Request | null {
  const row = connection.prepare('SELECT * FROM requests WHERE id = ?').get(id);
  return row ? decodeRow(connection, REQUESTS, row) : null;
}

export function updateRequest(connection: Connection, id: string, change: RequestChange): Request | null {
  return connection.transact((transaction) => {
    const counted = setRequest(connection, transaction, id, change);
    const request = getRequest(connection, id);
    if (counted && request) touchSession(connection, transaction, request.sessionId);
    return request;
  });
}

/** Returns whether the number of open requests changed. */
export function setRequest(
  connection: Connection,
  transaction: Transaction,
  id: string,
  change: RequestChange,
): boolean {
  if (isEmptyChange(change)) return false;
  const before = connection.prepare('SELECT state FROM requests WHERE id = ?').get(id);
  if (!before) return false;
  updateRow(connection, REQUESTS, change, transaction.nextRev(), { sql: 'id = ?', values: [id] });
  return change.state !== undefined && (before.state === 'open') !== (change.state === 'open');
}

export function listRequests(connection: Connection, query: RequestQuery): Page<Request> {
  const conditions = createConditions();
  if (query.sessionId !== undefined) conditions.add('session_id = ?', query.sessionId);
  if (query.state !== undefined) conditions.add('state = ?', query.state);
  if (query.id !== undefined) addPrefix(conditions, 'id', query.id);
  if (query.cursor !== undefined)
    conditions.add('(created_at, id) > (?, ?)', ...readCursor(query.cursor, PositionSchema));
  const rows = connection
    .prepare(`SELECT * FROM requests ${conditions.where()} ORDER BY created_at, id LIMIT ?`)
    .all(...conditions.values, query.limit + 1);
  const page = cutPage(rows, query.limit, (row) => [Number(row.created_at), String(row.id)]);
  return { rows: decodeRows(connection, REQUESTS, page.rows), nextCursor: page.nextCursor };
}
