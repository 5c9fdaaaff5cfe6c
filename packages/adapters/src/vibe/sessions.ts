import { dirname, join } from 'node:path';
import { readJsonLines, type SessionContent, type SessionLines, sessionFiles, Transcript } from '@agent-mux/core';
import { isoTime, type Json, number, parseRecord, record, records, text, word } from '../shared/json.ts';
import { VIBE_HOME } from './config.ts';

/** A folder for each session. Those of its subagents are inside it. */
export const SESSION_STORE = sessionFiles({
  agent: 'vibe',
  root: `${VIBE_HOME}/logs/session`,
  accepts: (path) => /^[^/]+\/messages\.jsonl$/.test(path),
  companions: (path) => [join(dirname(path), 'meta.json')],
  belongings: (path) => [dirname(path)],
  hasLines: () => true,
  parse: parseSession,
});

/** The system prompt is only in meta.json, next to the tools and the configuration: none of them is read. */
function parseSession(
  content: SessionLines,
  _path: string,
  [facts]: readonly (string | undefined)[],
): SessionContent | null {
  const meta = parseRecord(facts ?? '') ?? {};
  const sessionId = word(meta.session_id);
  const { records: lines, warnings } = readJsonLines(content);
  if (!sessionId) return null;
  const transcript = new Transcript();
  if (word(meta.parent_session_id) && lines[0]?.injected === true)
    transcript.note('The conversation so far was summarized.');
  for (const line of lines) addMessage(transcript, line);
  const stats = record(meta.stats);
  return {
    sessionId,
    title: word(meta.title),
    cwd: word(record(meta.environment).working_directory),
    model: word(record(meta.config).active_model),
    createdAt: isoTime(meta.start_time),
    updatedAt: isoTime(meta.end_time),
    parentSessionId: word(meta.parent_session_id),
    messages: transcript.messages,
    usage: {
      inputTokens: number(stats.session_prompt_tokens) ?? null,
      outputTokens: number(stats.session_completion_tokens) ?? null,
      cacheReadTokens: null,
      cacheCreationTokens: null,
      totalTokens: number(stats.session_total_llm_tokens) ?? null,
    },
    costUsd: number(stats.session_cost) ?? null,
    ...(warnings.length > 0 ? { warnings: warnings } : {}),
  };
}

/** `injected` messages come from the CLI itself: warnings, hook output, the summary after a compaction. */
function addMessage(transcript: Transcript, message: Json): void {
  if (message.injected === true) return;
  const said = text(message.content);
  const id = word(message.message_id);
  if (message.role === 'user') transcript.user(said ?? '', { id });
  else if (message.role === 'tool') addResult(transcript, word(message.tool_call_id), said ?? '');
  else if (message.role === 'assistant') {
    transcript.assistant({ text: said, thinking: text(message.reasoning_content) }, { id });
    for (const call of records(message.tool_calls)) addCall(transcript, call, id);
  }
}

function addCall(transcript: Transcript, call: Json, id: string | undefined): void {
  const toolCallId = word(call.id);
  const { name, arguments: input } = record(call.function);
  if (!toolCallId) return;
  const args = text(input) ?? '';
  transcript.toolCall({ toolCallId, toolName: word(name) ?? '', input: parseRecord(args) ?? args }, { id });
}

const FAILED = /^<(tool_error|user_cancellation)>([\s\S]*)<\/\1>$/;

function addResult(transcript: Transcript, toolCallId: string | undefined, output: string): void {
  const [, , reason] = FAILED.exec(output.trim()) ?? [];
  if (toolCallId) transcript.toolResult(toolCallId, reason ?? output, reason !== undefined);
}
