import { type SessionContent, type SessionStore, sessionFiles, type TokenUsage, Transcript } from '@agent-mux/core';
import { joinTexts } from '../shared/content.ts';
import { isRecord, type Json, number, parseRecord, record, records, text, word } from '../shared/json.ts';
import { CONTINUE_HOME } from './home.ts';

/** What every session has before somebody names it. */
const UNTITLED = 'Untitled Session';
/** How a call may have ended, other than well. */
const FAILURES: readonly unknown[] = ['errored', 'canceled'];

const FILES = sessionFiles({
  agent: 'continue',
  root: `${CONTINUE_HOME}/sessions`,
  accepts: (path) => /^[^/]+\.json$/.test(path) && path !== 'sessions.json',
  parse: (content) => parseSession(content),
});

/** Not deleted here: a session whose file is gone is still in `cn ls`, which reads another one (1.5.47). */
export const SESSION_STORE: SessionStore = { root: FILES.root, find: FILES.find, read: FILES.read };

/** There are no times in it. Its price is not told: for models that Continue does not know it is made up (1.5.47). */
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

/** Messages have no ids; their places keep two answers in a row apart. */
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
  const { name, arguments: given } = record(call.function);
  if (toolCallId === undefined) return;
  const input = parseRecord(text(given) ?? '') ?? given;
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
