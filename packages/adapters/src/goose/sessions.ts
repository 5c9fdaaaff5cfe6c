import { type SessionContent, sessionDatabase, Transcript } from '@agent-mux/core';
import { type Json, number, parseRecord, parseRecords, record, records, text, word } from '../shared/json.ts';

/** Excludes internal sessions: those of its subagents, and those that it hides from its lists. */
const USER_SESSIONS = `session_type NOT IN ('sub_agent', 'hidden')`;

/** Title of a session until the model has named it. */
const NO_TITLES: readonly string[] = ['CLI Session', 'ACP Session', 'New Chat'];

export const SESSION_STORE = sessionDatabase({
  agent: 'goose',
  file: '{XDG_DATA_HOME:-~/.local/share}/goose/sessions/sessions.db',
  list(database) {
    const rows = database
      .prepare(
        `SELECT id, name, updated_at, accumulated_total_tokens AS tokens,
           (SELECT max(messages.id) FROM messages WHERE messages.session_id = sessions.id) AS last
         FROM sessions WHERE ${USER_SESSIONS} ORDER BY updated_at DESC, id DESC`,
      )
      .all();
    // The time has whole seconds only.
    return rows.map(({ id, name, updated_at, tokens, last }) => ({
      key: String(id),
      stamp: [updated_at, tokens, last, name].join(':'),
    }));
  },
  read(database, key) {
    const session = database.prepare('SELECT * FROM sessions WHERE id = ?').get(key);
    if (!session) return null;
    return contentOf(session, database.prepare('SELECT * FROM messages WHERE session_id = ? ORDER BY id').all(key));
  },
});

/** The system prompt is not stored. */
function contentOf(session: Json, rows: readonly Json[]): SessionContent {
  const transcript = new Transcript();
  const warnings: string[] = [];
  for (const row of rows) {
    const content = parseRecords(row.content_json);
    if (content) addMessage(transcript, row, content);
    else warnings.push(`message ${row.id} is not JSON`);
  }
  const name = word(session.name);
  return {
    sessionId: String(session.id),
    title: name !== undefined && !NO_TITLES.includes(name) ? name : undefined,
    cwd: word(session.working_dir),
    model: word(parseRecord(text(session.model_config_json) ?? '')?.model_name),
    createdAt: timeOf(session.created_at),
    updatedAt: timeOf(session.updated_at),
    messages: transcript.messages,
    usage: {
      inputTokens: number(session.accumulated_input_tokens) ?? null,
      outputTokens: number(session.accumulated_output_tokens) ?? null,
      cacheReadTokens: null,
      cacheCreationTokens: null,
      totalTokens: number(session.accumulated_total_tokens) ?? null,
    },
    costUsd: number(session.accumulated_cost) ?? null,
    ...(warnings.length > 0 ? { warnings: warnings } : {}),
  };
}

/**
 * Messages that only the model sees are not part of the conversation. With 1.34 that is a compaction: the summary, as a
 * message of the user, and the instructions about it.
 */
function addMessage(transcript: Transcript, row: Json, content: readonly Json[]): void {
  const seconds = number(row.created_timestamp);
  const facts = { id: word(row.message_id), timestamp: seconds === undefined ? undefined : seconds * 1000 };
  const metadata = parseRecord(text(row.metadata_json) ?? '') ?? {};
  if (metadata.userVisible === false) {
    if (metadata.agentVisible === true && row.role === 'user')
      transcript.note('The conversation so far was summarized.', { timestamp: facts.timestamp });
    return;
  }
  if (row.role === 'user') {
    const prompt = plain(content);
    if (prompt !== '') transcript.user(prompt, facts);
  }
  for (const block of content) {
    const id = word(block.id);
    if (block.type === 'toolResponse' && id) addResult(transcript, id, record(block.toolResult));
    if (row.role === 'user') continue;
    if (block.type === 'text') transcript.assistant({ text: text(block.text) }, facts);
    else if (block.type === 'thinking') transcript.assistant({ thinking: text(block.thinking) }, facts);
    else if (block.type === 'toolRequest' && id) {
      const { name, arguments: input } = record(record(block.toolCall).value);
      transcript.toolCall({ toolCallId: id, toolName: word(name) ?? '', input: input ?? {} }, facts);
    }
  }
}

function addResult(transcript: Transcript, toolCallId: string, { status, value, error }: Json): void {
  if (status === 'error') transcript.toolResult(toolCallId, text(error) ?? '', true);
  else transcript.toolResult(toolCallId, plain(record(value).content), record(value).isError === true);
}

function plain(content: unknown): string {
  return records(content)
    .filter(({ type }) => type === 'text')
    .map((part) => text(part.text) ?? '')
    .join('\n');
}

/** `2026-11-16 05:12:57`, in UTC. */
function timeOf(value: unknown): number | undefined {
  const time = Date.parse(`${text(value)?.replace(' ', 'T')}Z`);
  return Number.isNaN(time) ? undefined : time;
}
