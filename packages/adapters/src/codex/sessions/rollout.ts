import { readJsonLines, type SessionContent, type SessionLines, Transcript } from '@agent-mux/core';
import { joinTexts } from '../../shared/content.ts';
import { isoTime, type Json, number, parseRecord, record, text, texts, word } from '../../shared/json.ts';
import { rolloutUsage } from '../usage.ts';

/** Calls without an item: refused ones, and those that Codex does not know. */
const FAILED_CALL = /^(?:\w+ (?:verification )?failed: |unsupported call)/;

/** State of reading a rollout file. */
interface Reading {
  transcript: Transcript;
  /** Text, thinking and calls of the model in one response. */
  answer?: { id: string; ended: boolean; counted: boolean };
  answers: number;
  model?: string;
  /** Marks a response that was never shown: the summary of a compaction. */
  silentUsage?: Json;
  /** Without token records, tokens are reported by events, which may come twice. */
  usageByEvents: boolean;
  total?: number;
  /** Calls with a better result than the one sent to the model. */
  settled: Set<string>;
}

/**
 * A rollout of Codex. Prompts, answers and thinking come from the `event_msg` records: the messages to the model
 * (`response_item`) also contain those of the vendor, the environment and AGENTS.md, with the role of the user. Calls
 * come from there, because a refused one leaves no event. `ordinal` ends the reading, for forks from the middle.
 */
export function parseRollout(content: SessionLines, ordinal?: number): SessionContent | null {
  const { records: all, warnings } = readJsonLines(content);
  const lines = all.filter((line) => ordinal === undefined || (number(line.ordinal) ?? 0) < ordinal);
  const first = lines.find(({ type }) => type === 'session_meta');
  const meta = record(first?.payload);
  const sessionId = word(meta.id);
  if (sessionId === undefined) return null;
  const reading: Reading = {
    transcript: new Transcript(),
    answers: 0,
    usageByEvents: !lines.some(({ type }) => type === 'token_usage_record'),
    settled: new Set(),
  };
  for (const line of lines) addLine(reading, line);
  const times = lines.map(({ timestamp }) => isoTime(timestamp)).filter((time) => time !== undefined);
  const { transcript, model } = reading;
  const parentSessionId = word(meta.forked_from_id) ?? word(meta.parent_thread_id);
  return {
    sessionId,
    cwd: word(meta.cwd),
    model,
    createdAt: isoTime(meta.timestamp) ?? times[0],
    updatedAt: times.at(-1),
    ...(parentSessionId === undefined ? {} : { parentSessionId }),
    messages: transcript.messages,
    usage: transcript.usage,
    ...(warnings.length > 0 ? { warnings: warnings } : {}),
  };
}

function addLine(reading: Reading, line: Json): void {
  const payload = record(line.payload);
  const timestamp = isoTime(line.timestamp);
  switch (line.type) {
    case 'turn_context':
      reading.model = word(payload.model) ?? reading.model;
      break;
    case 'event_msg':
      addEvent(reading, payload, timestamp);
      break;
    case 'response_item':
      addCall(reading, payload, timestamp);
      break;
    case 'token_usage_record':
      addUsage(reading, record(payload.usage));
      break;
    case 'compacted': {
      const usage = reading.silentUsage && rolloutUsage(reading.silentUsage);
      reading.transcript.note('The conversation so far was summarized.', { timestamp, model: reading.model, usage });
      reading.silentUsage = undefined;
      break;
    }
  }
}

/** `user_message`, `agent_message` and `agent_reasoning` are what rollouts of older versions have instead of items. */
function addEvent(reading: Reading, event: Json, timestamp: number | undefined): void {
  switch (event.type) {
    case 'item_completed':
      addItem(reading, record(event.item), timestamp);
      break;
    case 'user_message':
      addPrompt(reading, text(event.message) ?? '', { timestamp });
      break;
    case 'agent_message':
      addSaid(reading, { text: text(event.message) }, { timestamp });
      break;
    case 'agent_reasoning':
      addSaid(reading, { thinking: text(event.text) }, { timestamp });
      break;
    case 'token_count':
      addCount(reading, record(event.info));
      break;
  }
}

function addItem(reading: Reading, item: Json, timestamp: number | undefined): void {
  const id = word(item.id);
  switch (item.type) {
    case 'UserMessage':
      addPrompt(reading, joinTexts(item.content), { id, timestamp });
      break;
    case 'AgentMessage':
      addSaid(reading, { text: joinTexts(item.content) }, { id, timestamp });
      break;
    case 'Reasoning':
      addSaid(
        reading,
        { thinking: texts(item.summary_text).join('\n\n') || texts(item.raw_content).join('') },
        { id, timestamp },
      );
      break;
    case 'CommandExecution':
      settle(reading, id, text(item.aggregated_output) ?? '', item.status);
      break;
    case 'FileChange':
      settle(reading, id, `${text(item.stdout) ?? ''}${text(item.stderr) ?? ''}`, item.status);
      break;
    case 'McpToolCall':
      settle(reading, id, word(record(item.error).message) ?? joinTexts(record(item.result).content), item.status);
      break;
  }
}

function addPrompt(reading: Reading, prompt: string, facts: { id?: string; timestamp: number | undefined }): void {
  reading.transcript.user(prompt.trimEnd(), facts);
  reading.answer = undefined;
}

function addSaid(
  reading: Reading,
  said: { text?: string; thinking?: string },
  { id, timestamp }: { id?: string; timestamp: number | undefined },
): void {
  reading.transcript.assistant(said, { id: answerId(reading, id), timestamp, model: reading.model });
}

function answerId(reading: Reading, id: string | undefined): string {
  if (!reading.answer || reading.answer.ended) {
    reading.answers += 1;
    reading.answer = { id: id ?? `answer-${reading.answers}`, ended: false, counted: false };
  }
  return reading.answer.id;
}

/** A call, or its result as sent to the model. */
function addCall(reading: Reading, item: Json, timestamp: number | undefined): void {
  const toolCallId = word(item.call_id);
  if (toolCallId === undefined) return;
  const { transcript, model } = reading;
  if (item.type === 'function_call' || item.type === 'custom_tool_call') {
    const id = answerId(reading, word(item.id));
    transcript.toolCall({ toolCallId, toolName: nameOf(item), input: inputOf(item) }, { id, timestamp, model });
  } else if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output') {
    if (reading.answer) reading.answer.ended = true;
    if (reading.settled.has(toolCallId)) return;
    const output = joinTexts(item.output);
    transcript.toolResult(toolCallId, output, FAILED_CALL.test(output));
  }
}

function settle(reading: Reading, id: string | undefined, output: string, status: unknown): void {
  if (id === undefined) return;
  reading.transcript.toolResult(id, output, status === 'failed' || status === 'declined');
  reading.settled.add(id);
}

/** Usage of one request to the model; it comes after the whole answer. */
function addUsage(reading: Reading, counts: Json): void {
  const { answer, transcript } = reading;
  if (!answer || answer.counted) reading.silentUsage = counts;
  else {
    transcript.assistant({}, { id: answer.id, usage: rolloutUsage(counts) });
    answer.counted = true;
    answer.ended = true;
  }
}

function addCount(reading: Reading, info: Json): void {
  const total = number(record(info.total_token_usage).total_tokens);
  if (!reading.usageByEvents || total === undefined || total === reading.total) return;
  reading.total = total;
  addUsage(reading, record(info.last_token_usage));
}

function nameOf({ namespace, name }: Json): string {
  const tool = word(name) ?? '';
  const server = word(namespace);
  return server?.startsWith('mcp__') ? `${server}__${tool}` : tool;
}

function inputOf(item: Json): unknown {
  if (item.type === 'custom_tool_call') return item.input;
  return parseRecord(text(item.arguments) ?? '') ?? item.arguments;
}
