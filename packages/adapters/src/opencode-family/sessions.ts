import { isAbsolute, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import {
  expandPath,
  type SessionBranch,
  type SessionContent,
  type SessionStore,
  sessionDatabase,
  sumUsage,
  Transcript,
} from '@agent-mux/core';
import { type Json, number, parseRecord, record, text, word } from '../shared/json.ts';
import type { FamilyDialect } from './dialect.ts';
import { type Spent, spentOf } from './usage.ts';

/**
 * One SQLite database for all folders, in WAL mode: the server continues writing while it is read. `PREFIX_DB` names
 * another file, relative to the same folder unless it is an absolute path; `:memory:` leaves none. Seen with opencode
 * 1.18.33 and kilo 7.7.7.
 */
export function familyStore({ agent, command, envPrefix }: FamilyDialect): SessionStore {
  const home = `{XDG_DATA_HOME:-~/.local/share}/${command}`;
  const storeIn = (env: NodeJS.ProcessEnv) => {
    const chosen = env[`${envPrefix}_DB`];
    const name = chosen && chosen !== ':memory:' ? chosen : `${command}.db`;
    const path = isAbsolute(name) ? name : join(expandPath(home, env), name);
    return sessionDatabase({ agent, file: path, list: listSessions, read: readSession });
  };
  const { read } = storeIn({});
  return { root: (env) => storeIn(env).root(env), find: (env) => storeIn(env).find(env), read };
}

/**
 * The row of a session does not change while an answer grows, so the last message and its parts count too. Versions
 * that number the events of a session change that number with every update.
 */
const NEWEST_MESSAGE = `
  SELECT m.time_updated || '/' || (SELECT count(*) || '/' || coalesce(max(p.time_updated), 0) FROM part p WHERE p.message_id = m.id)
  FROM message m WHERE m.session_id = s.id ORDER BY m.time_created DESC, m.id DESC LIMIT 1`;
const EVENT_NUMBER = 'SELECT seq FROM event_sequence WHERE aggregate_id = s.id';

function listSessions(database: DatabaseSync): { key: string; stamp: string }[] {
  const numbered = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'event_sequence'`).get() !== undefined;
  const rows = database
    .prepare(
      `SELECT s.id AS key, s.time_updated || ':' || coalesce((${NEWEST_MESSAGE}), '')
        ${numbered ? `|| ':' || coalesce((${EVENT_NUMBER}), '')` : ''} AS stamp FROM session s`,
    )
    .all();
  return rows.map(({ key, stamp }) => ({ key: String(key), stamp: String(stamp) }));
}

interface Entry {
  id: string;
  info: Json;
  parts: { id: string; data: Json }[];
}

function readSession(database: DatabaseSync, id: string): SessionContent | null {
  // One transaction: a consistent snapshot of the session, its messages and their parts.
  database.exec('BEGIN');
  const session = database.prepare('SELECT * FROM session WHERE id = ?').get(id);
  if (!session) return null;
  const warnings: string[] = [];
  const entries = readEntries(database, id, warnings);
  const createdAt = number(session.time_created);
  const undone = undoneFrom(entries, parseRecord(text(session.revert) ?? ''));
  const whole = conversation(entries, createdAt);
  const active = undone ? conversation(undone, createdAt) : whole;
  const branches = undone && branchesOf(whole, active);
  const title = word(session.title);
  return {
    sessionId: id,
    // The title of a session until a model has found a better one.
    title: title && /^(New|Child) session - \d{4}-/.test(title) ? undefined : title,
    cwd: word(session.directory),
    model: modelOf(parseRecord(text(session.model) ?? '')) ?? lastModel(entries),
    createdAt,
    updatedAt: number(session.time_updated),
    parentSessionId: word(session.parent_id),
    messages: active.messages,
    ...(branches ? { branches } : {}),
    usage: whole.usage,
    costUsd: whole.costUsd ?? null,
    ...(warnings.length > 0 ? { warnings: warnings } : {}),
  };
}

function readEntries(database: DatabaseSync, id: string, warnings: string[]): Entry[] {
  const parse = (what: string, data: unknown): Json | undefined => {
    const value = parseRecord(text(data) ?? '');
    if (!value) warnings.push(`${what} is not JSON`);
    return value ?? undefined;
  };
  const entries = new Map<string, Entry>();
  for (const row of database
    .prepare('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id')
    .all(id)) {
    const info = parse(`message ${row.id}`, row.data);
    if (info) entries.set(String(row.id), { id: String(row.id), info, parts: [] });
  }
  for (const row of database
    .prepare('SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id')
    .all(id)) {
    const entry = entries.get(String(row.message_id));
    const data = entry && parse(`part ${row.id}`, row.data);
    if (data) entry.parts.push({ id: String(row.id), data });
  }
  return [...entries.values()];
}

/** The remaining conversation after a rewind; the rest is stored until the next prompt. Undefined: all. */
function undoneFrom(entries: readonly Entry[], revert: Json | null): Entry[] | undefined {
  const at = entries.findIndex(({ id }) => id === revert?.messageID);
  const first = entries[at];
  if (!first) return undefined;
  const partAt = first.parts.findIndex(({ id }) => id === revert?.partID);
  const kept = entries.slice(0, at);
  return partAt > 0 ? [...kept, { ...first, parts: first.parts.slice(0, partAt) }] : kept;
}

function branchesOf(whole: Transcript, active: Transcript): SessionBranch[] | undefined {
  const branch = ({ messages }: Transcript, isActive: boolean): SessionBranch[] => {
    const id = messages.at(-1)?.id;
    return id === undefined ? [] : [{ id, active: isActive, messages }];
  };
  const all = [...branch(whole, false), ...branch(active, true)];
  return all.length > 1 ? all : undefined;
}

function conversation(entries: readonly Entry[], createdAt: number | undefined): Transcript {
  const transcript = new Transcript();
  for (const entry of entries) {
    if (entry.info.role === 'user') addPrompt(transcript, entry);
    else if (entry.info.role === 'assistant') addAnswer(transcript, entry, createdAt);
  }
  return transcript;
}

/** `synthetic` parts come from the CLI itself: reminders, the content of attached files. */
function addPrompt(transcript: Transcript, { id, info, parts }: Entry): void {
  const said = parts.filter(({ data }) => data.type === 'text' && data.synthetic !== true && data.ignored !== true);
  transcript.user(said.map(({ data }) => text(data.text) ?? '').join('\n'), { id, timestamp: timeOf(info) });
}

function addAnswer(transcript: Transcript, { id, info, parts }: Entry, createdAt: number | undefined): void {
  const timestamp = timeOf(info);
  // A fork copies the messages with their prices, which were paid in the original session.
  const isCopy = timestamp !== undefined && createdAt !== undefined && timestamp < createdAt;
  const facts = { id, timestamp, model: modelOf(info), ...(isCopy ? {} : spentIn(info, parts)) };
  if (info.summary === true) {
    transcript.note('The conversation so far was summarized.', facts);
    return;
  }
  transcript.assistant({}, facts);
  for (const part of parts) addPart(transcript, part.id, part.data, facts);
  const failure = word(record(record(info.error).data).message);
  if (failure) transcript.note(failure, { timestamp });
}

/** By its steps: kilo 7.7.7 adds the cost of a subagent to a message, although that has its own session. */
function spentIn(info: Json, parts: Entry['parts']): Partial<Spent> {
  const steps = parts.flatMap(({ data }) => (data.type === 'step-finish' ? (spentOf(data) ?? []) : []));
  if (steps.length === 0) return spentOf(info) ?? {};
  const costs = steps.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    usage: sumUsage(steps.map(({ usage }) => usage)),
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
  };
}

function addPart(transcript: Transcript, partId: string, part: Json, facts: { id: string }): void {
  if (part.type === 'text' && part.synthetic !== true) transcript.assistant({ text: text(part.text) }, facts);
  else if (part.type === 'reasoning') transcript.assistant({ thinking: text(part.text) }, facts);
  else if (part.type === 'tool') {
    const state = record(part.state);
    const call = { toolCallId: word(part.callID) ?? partId, toolName: word(part.tool) ?? '', input: state.input ?? {} };
    transcript.toolCall(call, facts);
    if (state.status === 'completed') transcript.toolResult(call.toolCallId, text(state.output) ?? '');
    else if (state.status === 'error') transcript.toolResult(call.toolCallId, text(state.error) ?? '', true);
  }
}

/** In the format of `RunOptions.model`. Sessions call the model `id`, messages `modelID`. */
function modelOf(info: Json | null): string | undefined {
  const provider = word(info?.providerID);
  const model = word(info?.modelID) ?? word(info?.id);
  return provider && model ? `${provider}/${model}` : undefined;
}

function lastModel(entries: readonly Entry[]): string | undefined {
  return modelOf(entries.findLast(({ info }) => info.role === 'assistant')?.info ?? null);
}

function timeOf(info: Json): number | undefined {
  return number(record(info.time).created);
}
