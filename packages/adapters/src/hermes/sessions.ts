import type { DatabaseSync } from 'node:sqlite';
import { type SessionContent, sessionDatabase, Transcript } from '@agent-mux/core';
import { type Json, number, parseRecord, record, records, text, word } from '../shared/json.ts';
import { HERMES_HOME } from './config.ts';

/** Excludes subagents, and sessions that other programs hide from the lists. */
const HIDDEN_SOURCES = `source NOT IN ('subagent', 'tool')`;

/**
 * Sessions of the profile in `HERMES_HOME`. Columns were added over time, so anything beyond the first schema is looked
 * up in the table first.
 */
export const SESSION_STORE = sessionDatabase({
  agent: 'hermes',
  file: `${HERMES_HOME}/state.db`,
  list(database) {
    const has = columnsOf(database, 'sessions');
    const shown = has.has('hidden') ? `${HIDDEN_SOURCES} AND hidden = 0` : HIDDEN_SOURCES;
    const extra = ['title', 'rewind_count', 'last_activity_at'].filter((column) => has.has(column));
    const rows = database
      .prepare(
        `SELECT ${['id', 'message_count', 'ended_at', 'output_tokens', ...extra].join(', ')},
           (SELECT max(messages.id) FROM messages WHERE messages.session_id = sessions.id) AS last
         FROM sessions WHERE ${shown} ORDER BY started_at DESC`,
      )
      .all();
    return rows.map(({ id, ...changing }) => ({ key: String(id), stamp: Object.values(changing).join(':') }));
  },
  read(database, key) {
    const session = database.prepare('SELECT * FROM sessions WHERE id = ?').get(key);
    if (!session) return null;
    const rows = database.prepare('SELECT * FROM messages WHERE session_id = ? ORDER BY id').all(key);
    return contentOf(session, rows);
  },
});

function columnsOf(database: DatabaseSync, table: string): ReadonlySet<unknown> {
  const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all(table);
  return new Set(columns.map(({ name }) => name));
}

/** Column `system_prompt` is not read. */
function contentOf(session: Json, rows: readonly Json[]): SessionContent {
  const transcript = new Transcript();
  const warnings: string[] = [];
  for (const row of withoutCopies(rows.filter(isShown))) addMessage(transcript, row, warnings);
  const last = rows.at(-1);
  return {
    sessionId: String(session.id),
    title: word(session.title),
    cwd: word(session.cwd),
    model: word(session.model),
    createdAt: timeOf(session.started_at),
    updatedAt: timeOf(last?.timestamp) ?? timeOf(session.ended_at) ?? timeOf(session.started_at),
    parentSessionId: word(session.parent_session_id),
    messages: transcript.messages,
    usage: {
      inputTokens: number(session.input_tokens) ?? null,
      outputTokens: number(session.output_tokens) ?? null,
      cacheReadTokens: number(session.cache_read_tokens) ?? null,
      cacheCreationTokens: number(session.cache_write_tokens) ?? null,
      totalTokens: null,
    },
    costUsd: number(session.actual_cost_usd) ?? number(session.estimated_cost_usd) ?? null,
    ...(warnings.length > 0 ? { warnings: warnings } : {}),
  };
}

/** Rewound messages are neither active nor compacted; hidden ones are meant only for the model. */
function isShown({ active, compacted, display_kind }: Json): boolean {
  return (active === undefined || active === 1 || compacted === 1) && display_kind !== 'hidden';
}

/** A compaction writes the messages it keeps again, with their original time. */
function withoutCopies(rows: readonly Json[]): Json[] {
  const seen = new Set<string>();
  return rows.filter((row) => {
    const { role, content, timestamp, tool_call_id, tool_calls } = row;
    const identity = JSON.stringify([role, content, timestamp, tool_call_id, tool_calls]);
    return !seen.has(identity) && seen.add(identity);
  });
}

function addMessage(transcript: Transcript, row: Json, warnings: string[]): void {
  const facts = { id: String(row.id), timestamp: timeOf(row.timestamp) };
  const said = plain(row.content);
  if (isSummary(row, said)) transcript.note('The conversation so far was summarized.', facts);
  else if (row.role === 'user') transcript.user(said, facts);
  else if (row.role === 'tool') {
    const id = word(row.tool_call_id);
    if (id) transcript.toolResult(id, said);
  } else if (row.role === 'assistant') {
    transcript.assistant({ text: said, thinking: word(row.reasoning) ?? word(row.reasoning_content) }, facts);
    const calls = callsOf(row.tool_calls);
    if (!calls) warnings.push(`the tool calls of message ${row.id} are not JSON`);
    for (const call of calls ?? []) addCall(transcript, call, facts);
  }
}

function isSummary(row: Json, said: string): boolean {
  return row._compressed_summary === 1 || said.startsWith('[CONTEXT COMPACTION');
}

function callsOf(json: unknown): Json[] | undefined {
  const written = word(json);
  if (!written) return [];
  try {
    return records(JSON.parse(written));
  } catch {
    return undefined;
  }
}

function addCall(transcript: Transcript, call: Json, facts: { id: string; timestamp?: number }): void {
  const toolCallId = word(call.id);
  const { name, arguments: input } = record(call.function);
  if (!toolCallId) return;
  const parsed = typeof input === 'string' ? (parseRecord(input) ?? input) : input;
  transcript.toolCall({ toolCallId, toolName: word(name) ?? '', input: parsed }, facts);
}

/** Multi-part content is JSON after a marker. */
const PARTS = /^[\0\x01]json:/;

function plain(content: unknown): string {
  const written = text(content) ?? '';
  if (!PARTS.test(written)) return written;
  try {
    return records(JSON.parse(written.replace(PARTS, '')))
      .map((part) => text(part.text) ?? '')
      .filter((part) => part !== '')
      .join('\n');
  } catch {
    return '';
  }
}

/** Seconds with fractions. */
function timeOf(value: unknown): number | undefined {
  const seconds = number(value);
  return seconds === undefined ? undefined : Math.round(seconds * 1000);
}
