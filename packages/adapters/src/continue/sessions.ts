import { type SessionContent, type SessionStore, sessionFiles, type TokenUsage, Transcript } from '@agent-mux/core';
import { joinTexts } from '../shared/content.ts';
import { isRecord, type Json, number, parseRecord, record, records, text, word } from '../shared/json.ts';
import { CONTINUE_HOME } from './home.ts';

/** The title of every session before the user names it. */
const UNTITLED = 'Untitled Session';
/** Unsuccessful outcomes of a call. */
const FAILURES: readonly unknown[] = ['errored', 'canceled'];

const FILES = sessionFiles({
  agent: 'continue',
  root: `${CONTINUE_HOME}/sessions`,
  accepts: (path) => /^[^/]+\.json$/.test(path) && path !== 'sessions.json',
  parse: (content) => parseSession(content),
});

/** Not deletable: a session without its file is still in `cn ls`, which reads another one (1.5.47). */
export const SESSION_STORE: SessionStore = { root: FILES.root, find: FILES.find, read: FILES.read };

/** It contains no times. Its price is omitted: Continue invents one for unknown models (1.5.47). */
export function parseSession(content: string): SessionContent | null {
  const file = parseRecord(content);
  const sessionId = word(file?.sessionId);
  if (!file || sessionId === undefined || !Array.isArray(file.history)) return null;
  const transcript = new Transcript();
  records(file.history).forEach((entry, index) => {
    addEntry(transcript, entry, String(index));
  });
  const title = word(file.title);
  const { messages } = transcript;
  return {
    sessionId,
    title: title === UNTITLED ? undefined : title,
    cwd: word(file.workspaceDirectory),
    model: messages.findLast(({ model }) => model !== undefined)?.model,
    messages,
    usage: transcript.usage,
  };
}

/** Messages have no ids; their positions keep consecutive answers apart. */
function addEntry(transcript: Transcript, entry: Json, id: string): void {
  const message = record(entry.message);
  const said = joinTexts(message.content);
  if (message.role === 'user') transcript.user(said, { id });
  if (message.role !== 'assistant') return;
  const usage = isRecord(message.usage) ? tokenUsage(message.usage) : undefined;
  transcript.assistant({ text: said }, { id, model: word(record(message.usage).model), usage });
  for (const call of records(message.toolCalls)) addCall(transcript, call, id);
  for (const state of records(entry.toolCallStates)) addResult(transcript, state);
}

function addCall(transcript: Transcript, call: Json, id: string): void {
  const toolCallId = word(call.id);
  const { name, arguments: args } = record(call.function);
  if (toolCallId === undefined) return;
  const input = parseRecord(text(args) ?? '') ?? args;
  transcript.toolCall({ toolCallId, toolName: word(name) ?? '', input }, { id });
}

function addResult(transcript: Transcript, state: Json): void {
  const id = word(state.toolCallId);
  if (id === undefined || !Array.isArray(state.output)) return;
  const output = records(state.output).map((part) => text(part.content) ?? '');
  transcript.toolResult(id, output.join('\n'), FAILURES.includes(state.status));
}

function tokenUsage(counts: Json): TokenUsage {
  return {
    inputTokens: number(counts.prompt_tokens) ?? null,
    outputTokens: number(counts.completion_tokens) ?? null,
    cacheReadTokens: number(record(counts.prompt_tokens_details).cached_tokens) ?? null,
    cacheCreationTokens: null,
    totalTokens: number(counts.total_tokens) ?? null,
  };
}
