import { basename, dirname, isAbsolute, join } from 'node:path';
import { type SessionContent, sessionDatabases, Transcript } from '@agent-mux/core';
import { type Json, number, parseRecord, parseRecords, record, records, text, word } from '../shared/json.ts';
import { DATA_HOME } from './config.ts';

/** Titles of a session before a model has named it, and after that failed. */
const NO_TITLES: readonly string[] = ['New Session', 'Untitled Session'];

/** A database in each project; the CLI keeps a list of projects. */
export const SESSION_STORE = sessionDatabases({
  agent: 'crush',
  places: { listedIn: `${DATA_HOME}/projects.json`, folders: dataFolders, name: 'crush.db' },
  list(database) {
    // Sessions with a parent belong to subagents.
    const rows = database
      .prepare(
        `SELECT id, updated_at, message_count, title, cost,
           (SELECT max(updated_at) FROM messages WHERE messages.session_id = sessions.id) AS changed,
           (SELECT total(octet_length(parts)) FROM messages WHERE messages.session_id = sessions.id) AS size
         FROM sessions WHERE parent_session_id IS NULL ORDER BY updated_at DESC, id`,
      )
      .all();
    // Times have whole seconds only.
    return rows.map(({ id, updated_at, message_count, title, cost, changed, size }) => ({
      key: String(id),
      stamp: [updated_at, message_count, cost, changed, size, title].join(':'),
    }));
  },
  read(database, key) {
    const session = database.prepare('SELECT * FROM sessions WHERE id = ?').get(key);
    if (!session) return null;
    const messages = database
      .prepare('SELECT * FROM messages WHERE session_id = ? ORDER BY created_at, rowid')
      .all(key);
    const file = database
      .prepare('PRAGMA database_list')
      .all()
      .find(({ name }) => name === 'main')?.file;
    return contentOf(session, messages, projectOf(text(file) ?? ''));
  },
});

function dataFolders(listed: string): string[] {
  const list = parseRecord(listed);
  if (!list) throw new Error('the list of projects is not JSON');
  return records(list.projects).flatMap(({ path, data_dir }) => {
    const folder = word(data_dir);
    if (!folder) return [];
    return [isAbsolute(folder) ? folder : join(word(path) ?? '', folder)];
  });
}

/** The database does not say, and neither does a data folder outside the project. */
function projectOf(file: string): string | undefined {
  const folder = dirname(file);
  return basename(folder) === '.crush' ? dirname(folder) : undefined;
}

/** The token counts are those of the last request, not sums. */
function contentOf(session: Json, rows: readonly Json[], cwd: string | undefined): SessionContent {
  const transcript = new Transcript();
  const warnings: string[] = [];
  for (const row of rows) {
    const parts = parseRecords(row.parts);
    if (parts) addMessage(transcript, row, parts);
    else warnings.push(`message ${row.id} is not JSON`);
  }
  const title = word(session.title);
  return {
    sessionId: String(session.id),
    title: title !== undefined && !NO_TITLES.includes(title) ? title : undefined,
    cwd,
    model: word(rows.findLast(({ role, model }) => role === 'assistant' && word(model))?.model),
    createdAt: timeOf(session.created_at),
    updatedAt: timeOf(session.updated_at),
    messages: transcript.messages,
    costUsd: number(session.cost) ?? null,
    ...(warnings.length > 0 ? { warnings: warnings } : {}),
  };
}

function addMessage(transcript: Transcript, row: Json, parts: readonly Json[]): void {
  const facts = { id: word(row.id), timestamp: timeOf(row.created_at) };
  if (row.is_summary_message === 1) {
    transcript.note('The conversation so far was summarized.', facts);
    return;
  }
  const contents = parts.map(({ type, data }) => ({ type, data: record(data) }));
  if (row.role === 'user') {
    const said = contents.filter(({ type }) => type === 'text').map(({ data }) => text(data.text) ?? '');
    if (said.length > 0) transcript.user(said.join('\n'), facts);
  }
  for (const { type, data } of contents) {
    if (type === 'tool_result') addResult(transcript, data);
    else if (type === 'shell_command')
      transcript.note(`$ ${text(data.command) ?? ''}\n${text(data.output) ?? ''}`, facts);
    else if (row.role === 'assistant') addAnswer(transcript, type, data, { ...facts, model: word(row.model) });
  }
}

type Facts = NonNullable<Parameters<Transcript['assistant']>[1]>;

function addAnswer(transcript: Transcript, type: unknown, data: Json, facts: Facts): void {
  const toolCallId = word(data.id);
  if (type === 'text') transcript.assistant({ text: text(data.text) }, facts);
  else if (type === 'reasoning') transcript.assistant({ thinking: text(data.thinking) }, facts);
  else if (type === 'tool_call' && toolCallId) {
    const input = text(data.input) ?? '';
    transcript.toolCall({ toolCallId, toolName: word(data.name) ?? '', input: parseRecord(input) ?? input }, facts);
  }
}

function addResult(transcript: Transcript, data: Json): void {
  const id = word(data.tool_call_id);
  if (id) transcript.toolResult(id, text(data.content) ?? '', data.is_error === true);
}

/** Seconds, although the schema calls them milliseconds. */
function timeOf(value: unknown): number | undefined {
  const time = number(value);
  if (time === undefined) return undefined;
  return time < 1e11 ? time * 1000 : time;
}
