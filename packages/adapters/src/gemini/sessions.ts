import { basename, dirname, join } from 'node:path';
import {
  readJsonLines,
  type SessionContent,
  type SessionLines,
  sessionFiles,
  type TokenUsage,
  Transcript,
} from '@agent-mux/core';
import { addParts, partsOf, resultsIn, textIn } from '../shared/gemini-parts.ts';
import { isoTime, isRecord, type Json, number, parseRecord, records, word } from '../shared/json.ts';
import { GEMINI_HOME } from './home.ts';

/** A folder per project, with a file that holds its path; deeper files belong to subagents. */
export const SESSION_STORE = sessionFiles({
  agent: 'gemini',
  root: `${GEMINI_HOME}/tmp`,
  accepts: (path) => /^[^/]+\/chats\/session-[^/]+\.jsonl?$/.test(path),
  companions: (path) => [join(dirname(dirname(path)), '.project_root')],
  hasLines: (path) => path.endsWith('.jsonl'),
  parse: parseSession,
  belongings,
});

/** As `--delete-session` of 0.61.0 does it: subagents, logs and tool outputs are stored by the whole id. */
function belongings(path: string, id: string | undefined): string[] {
  if (id === undefined || basename(id) !== id) return [];
  const project = dirname(dirname(path));
  return [
    join(dirname(path), id),
    join(project, 'logs', `session-${id}.jsonl`),
    join(project, 'tool-outputs', `session-${id}`),
    join(project, id),
  ];
}

interface Conversation {
  header: Json;
  startedAt: number | undefined;
  /** The messages that the agent would resume with, in order. */
  current: Map<string, Json>;
  /** Messages as they were first written. */
  original: Map<string, Json>;
}

/**
 * JSON lines that are replayed: a message replaces the one of the same id, `$set` changes the header or all messages,
 * `$rewindTo` removes a message and all after it. A resume of 0.61.0 writes a new header and then every message again,
 * with new times and without tokens and thinking: the first version of a message has more details. Earlier versions
 * wrote one JSON object.
 */
export function parseSession(
  content: SessionLines,
  path: string,
  [project]: readonly (string | undefined)[],
): SessionContent | null {
  const whole = typeof content === 'string' && path.endsWith('.json') ? parseRecord(content) : undefined;
  const { records: lines, warnings } =
    whole === undefined ? readJsonLines(content) : { records: [whole ?? {}], warnings: [] };
  const { header, current, original, startedAt } = replay(lines);
  const sessionId = word(header.sessionId);
  if (!sessionId || !word(header.projectHash)) return null;
  const transcript = new Transcript();
  const messages = [...current].map(([id, message]) => original.get(id) ?? message);
  for (const message of messages) addMessage(transcript, message);
  return {
    sessionId,
    title: word(header.summary),
    cwd: word(project?.trim()),
    model: messages.map(({ model }) => word(model)).findLast((model) => model !== undefined),
    createdAt: startedAt,
    updatedAt: isoTime(header.lastUpdated),
    messages: transcript.messages,
    usage: transcript.usage,
    ...(warnings.length > 0 ? { warnings: warnings } : {}),
  };
}

function replay(lines: readonly Json[]): Conversation {
  const state: Conversation = { header: {}, startedAt: undefined, current: new Map(), original: new Map() };
  for (const line of lines) {
    const id = word(line.id);
    if (typeof line.$rewindTo === 'string') rewind(state.current, line.$rewindTo);
    else if (id && word(line.type)) {
      state.current.set(id, line);
      state.original.set(id, line);
    } else if (isRecord(line.$set)) {
      if (Array.isArray(line.$set.messages)) state.current = byId(line.$set.messages);
      state.header = { ...state.header, ...line.$set };
    } else if (word(line.sessionId)) {
      state.startedAt ??= isoTime(line.startTime);
      state.header = { ...state.header, ...line };
      for (const [key, message] of byId(line.messages)) state.current.set(key, message);
    }
  }
  return state;
}

function rewind(messages: Map<string, Json>, from: string): void {
  const ids = [...messages.keys()];
  const gone = ids.includes(from) ? ids.slice(ids.indexOf(from)) : ids;
  for (const id of gone) messages.delete(id);
}

function byId(messages: unknown): Map<string, Json> {
  return new Map(
    records(messages).flatMap((message): [string, Json][] => {
      const id = word(message.id);
      return id ? [[id, message]] : [];
    }),
  );
}

function addMessage(transcript: Transcript, message: Json): void {
  const parts = partsOf(message.content);
  const facts = { id: word(message.id), timestamp: isoTime(message.timestamp) };
  if (message.type === 'gemini') addAnswer(transcript, message, parts);
  else if (message.type !== 'user') transcript.note(textIn(parts), facts);
  else {
    for (const { toolCallId, output, isError } of resultsIn(parts)) {
      transcript.toolResult(toolCallId, plainOutput(output), isError);
    }
    const said = textIn(parts);
    if (said.startsWith('<state_snapshot>')) transcript.note('The conversation so far was summarized.', facts);
    else if (!isContext(said)) transcript.user(said, facts);
  }
}

function addAnswer(transcript: Transcript, message: Json, parts: readonly Json[]): void {
  const facts = {
    id: word(message.id),
    timestamp: isoTime(message.timestamp),
    model: word(message.model),
    usage: usageOf(message.tokens),
  };
  const thoughts = records(message.thoughts).map(thoughtOf).join('\n');
  const calls = records(message.toolCalls);
  // They are stored apart from the content, without their position: a model thinks first and calls last.
  transcript.assistant({ thinking: thoughts }, facts);
  const rest = parts.filter((part) => !(thoughts && part.thought === true) && !(calls.length > 0 && part.functionCall));
  addParts(transcript, rest, facts);
  for (const call of calls) {
    const toolCallId = word(call.id);
    if (!toolCallId) continue;
    transcript.toolCall({ toolCallId, toolName: word(call.name) ?? '', input: call.args }, facts);
    const result = resultsIn(partsOf(call.result)).find((one) => one.toolCallId === toolCallId);
    if (result) transcript.toolResult(toolCallId, plainOutput(result.output), call.status !== 'success');
  }
}

function thoughtOf({ subject, description }: Json): string {
  return [word(subject) && `**${subject}**`, word(description)].filter(Boolean).join('\n');
}

/** Context of the session, which the CLI puts before the first prompt. */
function isContext(said: string): boolean {
  return said.trimStart().startsWith('<session_context>');
}

/** Text that is marked as untrusted for the model is the output of the tool. */
function plainOutput(output: string): string {
  return output.replace(/^<untrusted_context>\n?/, '').replace(/\n?<\/untrusted_context>$/, '');
}

/** `input` includes cached tokens; here they are separate. */
function usageOf(tokens: unknown): TokenUsage | undefined {
  if (!isRecord(tokens)) return undefined;
  const input = number(tokens.input);
  const cached = number(tokens.cached);
  return {
    inputTokens: input === undefined ? null : Math.max(0, input - (cached ?? 0)),
    outputTokens: number(tokens.output) ?? null,
    cacheReadTokens: cached ?? null,
    cacheCreationTokens: null,
    totalTokens: number(tokens.total) ?? null,
  };
}
