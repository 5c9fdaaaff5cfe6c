import type { Session } from '@agent-mux/api';
import { z } from 'zod';
import type { Page, Store } from '../store.ts';
import { addAnyOf, addPrefix, type Conditions, createConditions } from './conditions.ts';
import type { Connection } from './connection.ts';
import { cutPage, readCursor } from './cursor.ts';
import { decodeRows } from './rows.ts';
import { SELECT_SESSIONS, SESSIONS } from './sessions.ts';

const PositionSchema = z.tuple([z.number(), z.number(), z.string()]);

export function listSessions(connection: Connection, query: Parameters<Store['listSessions']>[0]): Page<Session> {
  const conditions = conditionsOf(query);
  const rows = connection
    .prepare(`${SELECT_SESSIONS} ${conditions.where()} ORDER BY pinned DESC, last_active_at DESC, id LIMIT ?`)
    .all(...conditions.values, query.limit + 1);
  const page = cutPage(rows, query.limit, (row) => [Number(row.pinned), Number(row.last_active_at), String(row.id)]);
  return { rows: decodeRows(connection, SESSIONS, page.rows), nextCursor: page.nextCursor };
}

function conditionsOf(query: Parameters<Store['listSessions']>[0]): Conditions {
  const conditions = createConditions();
  if (query.activity !== undefined) {
    const activities = query.activity.split(',').map((activity) => activity.trim());
    addAnyOf(conditions, 'activity', activities);
  }
  if (query.agent !== undefined) conditions.add('agent = ?', query.agent);
  if (query.agentSessionId !== undefined) conditions.add('agent_session_id = ?', query.agentSessionId);
  // A session in a worktree belongs to the repository of the worktree.
  if (query.cwd !== undefined)
    conditions.add(`(cwd = ? OR json_extract(workspace, '$.repository') = ?)`, query.cwd, query.cwd);
  if (query.id !== undefined) addPrefix(conditions, 'id', query.id);
  if (query.nativeIdPrefix !== undefined) addPrefix(conditions, 'agent_session_id', query.nativeIdPrefix);
  if (query.pinned !== undefined) conditions.add('pinned = ?', query.pinned ? 1 : 0);
  if (query.terminated !== undefined) conditions.add('is_terminated = ?', query.terminated ? 1 : 0);
  if (query.text !== undefined) {
    const part = query.text.toLowerCase();
    const anywhere = ['title', 'summary', 'cwd', 'id'].map((column) => `has_text(${column}, ?)`).join(' OR ');
    conditions.add(`(${anywhere})`, part, part, part, part);
  }
  if (query.cursor !== undefined) {
    const [pinned, lastActiveAt, id] = readCursor(query.cursor, PositionSchema);
    conditions.add('(-pinned, -last_active_at, id) > (?, ?, ?)', -pinned, -lastActiveAt, id);
  }
  return conditions;
}
