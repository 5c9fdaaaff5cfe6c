import { rebuildTree, type SessionContent, sessionDatabases, type Transcript } from '@agent-mux/core';
import { isoTime, type Json, number, record, records, text, word } from '../shared/json.ts';
import { OPENCLAW_HOME } from './home.ts';
import { eventOf } from './stored-event.ts';

/** The model name of messages from the gateway itself. */
const GATEWAY = 'gateway-injected';
/** Prefix that its ACP bridge puts before a prompt by default. */
const FOLDER = /^\[Working directory: [^\]]*\]\n\n/;
const INTERNAL_CONTEXT = '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>';

/**
 * A database for each agent of the gateway. The id of a session is its key; a reset starts a new window of it
 * (2026.9.6).
 */
export const SESSION_STORE = sessionDatabases({
  agent: 'openclaw',
  places: { root: `${OPENCLAW_HOME}/agents`, inEachFolder: 'agent/openclaw-agent.sqlite' },
  list(database) {
    // Spawned sessions belong to subagents.
    const rows = database
      .prepare(
        `SELECT session_key AS key, updated_at, label, display_name, current_session_id AS window,
           (SELECT max(seq) FROM transcript_events WHERE session_id = current_session_id) AS last
         FROM session_nodes WHERE spawned_by IS NULL ORDER BY updated_at DESC`,
      )
      .all();
    return rows.map(({ key, ...changing }) => ({ key: String(key), stamp: Object.values(changing).join(':') }));
  },
  read(database, key) {
    // `entry_json` holds prompts of skills and of the system: it is not read.
    const node = database
      .prepare(
        `SELECT session_key, current_session_id, created_at, updated_at, label, display_name, fork_source_session_key
         FROM session_nodes WHERE session_key = ?`,
      )
      .get(key);
    if (!node) return null;
    const rows = database
      .prepare('SELECT seq, event_json, event_zstd FROM transcript_events WHERE session_id = ? ORDER BY seq')
      .all(node.current_session_id ?? null);
    return contentOf(node, rows);
  },
});

function contentOf(node: Json, rows: readonly Json[]): SessionContent {
  const warnings: string[] = [];
  const events = rows.flatMap((row) => {
    const event = eventOf(row);
    if (!event) warnings.push(`event ${row.seq} cannot be read`);
    return event ? [event] : [];
  });
  const { transcript, branches } = rebuildTree(entriesOf(events), addEvent, activeLeaf(events));
  return {
    sessionId: String(node.session_key),
    title: [node.label, node.display_name].map(word).find((name) => name && name !== node.session_key),
    cwd: word(events.find(({ type }) => type === 'session')?.cwd),
    model: transcript.messages.findLast(({ model }) => model !== undefined)?.model,
    createdAt: number(node.created_at),
    updatedAt: number(node.updated_at),
    parentSessionId: word(node.fork_source_session_key),
    messages: transcript.messages,
    ...(branches ? { branches } : {}),
    usage: transcript.usage,
    costUsd: transcript.costUsd ?? null,
    ...(warnings.length > 0 ? { warnings: warnings } : {}),
  };
}

function entriesOf(events: readonly Json[]) {
  return events.flatMap((entry) => {
    const id = word(entry.id);
    if (!id || entry.type === 'session' || entry.type === 'leaf') return [];
    return [{ id, parentId: word(entry.parentId) ?? null, entry }];
  });
}

/** A rewind is a separate event; it applies until something follows. */
function activeLeaf(events: readonly Json[]): string | undefined {
  const last = events.at(-1);
  return last?.type === 'leaf' ? word(last.targetId) : undefined;
}

function addEvent(transcript: Transcript, event: Json): void {
  const message = record(event.message);
  const timestamp = number(message.timestamp) ?? isoTime(event.timestamp);
  const facts = { id: word(event.id), timestamp };
  if (event.type === 'compaction') transcript.note('The conversation so far was summarized.', facts);
  else if (event.type !== 'message') return;
  else if (message.role === 'user') addPrompt(transcript, plain(message.content), facts);
  else if (message.role === 'toolResult') addResult(transcript, message);
  else if (message.role === 'assistant') addAnswer(transcript, message, facts);
}

type Facts = NonNullable<Parameters<Transcript['assistant']>[1]>;

function addPrompt(transcript: Transcript, said: string, facts: Facts): void {
  if (!said.startsWith(INTERNAL_CONTEXT)) transcript.user(said.replace(FOLDER, ''), facts);
}

function addAnswer(transcript: Transcript, message: Json, facts: Facts): void {
  const failure = word(message.errorMessage);
  if (message.model === GATEWAY && !message.openclawAbort) transcript.note(plain(message.content), facts);
  else {
    const known = message.model === GATEWAY ? facts : { ...facts, model: modelOf(message), ...spentOn(message.usage) };
    for (const block of records(message.content)) addBlock(transcript, block, known);
  }
  if (failure) transcript.note(failure, { timestamp: facts.timestamp });
}

function addBlock(transcript: Transcript, block: Json, facts: Facts): void {
  const toolCallId = word(block.id);
  if (block.type === 'text') transcript.assistant({ text: text(block.text) }, facts);
  else if (block.type === 'thinking') transcript.assistant({ thinking: text(block.thinking) }, facts);
  else if (block.type === 'toolCall' && toolCallId)
    transcript.toolCall({ toolCallId, toolName: word(block.name) ?? '', input: block.arguments }, facts);
}

/** The gateway does not treat a nonzero exit code as an error. */
function addResult(transcript: Transcript, message: Json): void {
  const id = word(message.toolCallId);
  const exitCode = number(record(message.details).exitCode) ?? 0;
  if (id) transcript.toolResult(id, plain(message.content), message.isError === true || exitCode !== 0);
}

function modelOf({ provider, model }: Json): string | undefined {
  const [vendor, name] = [word(provider), word(model)];
  return vendor && name ? `${vendor}/${name}` : name;
}

/** A model without a price costs 0 there, which may not be true. */
function spentOn(usage: unknown): Facts {
  const { input, output, cacheRead, cacheWrite, totalTokens, cost } = record(usage);
  if (!number(totalTokens)) return {};
  return {
    usage: {
      inputTokens: number(input) ?? null,
      outputTokens: number(output) ?? null,
      cacheReadTokens: number(cacheRead) ?? null,
      cacheCreationTokens: number(cacheWrite) ?? null,
      totalTokens: number(totalTokens) ?? null,
    },
    costUsd: number(record(cost).total) ?? null,
  };
}

function plain(content: unknown): string {
  if (typeof content === 'string') return content;
  return records(content)
    .map((part) => text(part.text) ?? '')
    .filter((part) => part !== '')
    .join('\n');
}
