import { basename, dirname, join } from 'node:path';
import {
  expandPath,
  readJsonLines,
  rebuildTree,
  type SessionContent,
  sessionFiles,
  sumUsage,
  type Transcript,
} from '@agent-mux/core';
import { isoTime, type Json, number, parseRecord, record, records, text, word } from '../shared/json.ts';
import { toolInput, toolName, usageOf } from './dialect.ts';
import { GROK_HOME } from './home.ts';

const ROOT = `${GROK_HOME}/sessions`;
const TICKS_PER_USD = 1e10;

/** One folder per working directory, its path encoded as in a URL. */
export function sessionDir(cwd?: string): string {
  const root = expandPath(ROOT);
  return cwd === undefined ? root : `${root}/${encodeURIComponent(cwd)}`;
}

/**
 * A folder for each session; the conversation is in `updates.jsonl`. `chat_history.jsonl` holds the messages to the
 * model.
 */
export const SESSION_STORE = sessionFiles({
  agent: 'grok',
  root: ROOT,
  accepts: (path) => /^[^/]+\/[^/]+\/summary\.json$/.test(path),
  companions: (path) => [join(dirname(path), 'updates.jsonl'), join(dirname(path), 'usage.json')],
  belongings: (path) => [dirname(path)],
  parse: parseSession,
});

function parseSession(
  content: string,
  path: string,
  [updates = '', usage = '']: readonly (string | undefined)[],
): SessionContent | null {
  const summary = parseRecord(content);
  const info = record(summary?.info);
  const sessionId = word(info.id) ?? (summary?.created_at ? basename(dirname(path)) : undefined);
  if (!summary || !sessionId) return null;
  const { records: lines, warnings } = readJsonLines(updates);
  const { turns, activeId } = turnsOf(lines);
  const { transcript, branches } = rebuildTree(turns, addTurn, activeId);
  return {
    sessionId,
    title: word(summary.generated_title) ?? word(summary.session_summary),
    cwd: word(info.cwd),
    model: word(summary.current_model_id),
    createdAt: isoTime(summary.created_at),
    updatedAt: isoTime(summary.updated_at),
    parentSessionId: word(summary.parent_session_id),
    messages: transcript.messages,
    ...(branches ? { branches } : {}),
    ...spent(parseRecord(usage) ?? {}, isoTime(summary.created_at) ?? 0),
    ...(warnings.length > 0 ? { warnings: warnings } : {}),
  };
}

/** A fork includes the turns of its parent: those were paid for there. */
function spent(usage: Json, createdAt: number): Pick<SessionContent, 'usage' | 'costUsd'> {
  const own = records(usage.turns).filter(({ endedAt }) => (isoTime(endedAt) ?? createdAt) >= createdAt);
  const ticks = own.map(({ costUsdTicks }) => number(costUsdTicks)).filter((count) => count !== undefined);
  return {
    usage: sumUsage(own.map((turn) => usageOf(turn) ?? undefined)),
    ...(ticks.length > 0 ? { costUsd: ticks.reduce((sum, count) => sum + count, 0) / TICKS_PER_USD } : {}),
  };
}

interface Turn {
  id: string;
  parentId: string | null;
  entry: Json[];
  promptIndex?: number;
}

/** A rewind leaves a marker; the following records start again at the named prompt. */
function turnsOf(lines: readonly Json[]): { turns: Turn[]; activeId?: string } {
  const turns: Turn[] = [];
  let way: Turn[] = [];
  for (const line of lines) {
    const update = record(record(line.params).update);
    if (update.sessionUpdate === 'rewind_marker') {
      const target = number(update.target_prompt_index) ?? 0;
      const end = way.findIndex(({ promptIndex }) => promptIndex !== undefined && promptIndex >= target);
      way = end < 0 ? way : way.slice(0, end);
      continue;
    }
    if (update.sessionUpdate === 'user_message_chunk' && isPrompt(update)) {
      const promptIndex = number(record(update._meta).promptIndex);
      const turn: Turn = { id: `turn-${turns.length}`, parentId: way.at(-1)?.id ?? null, entry: [], promptIndex };
      turns.push(turn);
      way = [...way, turn];
    }
    way.at(-1)?.entry.push(line);
  }
  return { turns, activeId: way.at(-1)?.id };
}

/** Not one of a terminal command, such as `/compact`. */
function isPrompt({ _meta }: Json): boolean {
  return record(_meta).hostTurn !== true;
}

function addTurn(transcript: Transcript, lines: readonly Json[]): void {
  let answer = 0;
  for (const line of lines) {
    const params = record(line.params);
    const update = record(params.update);
    const { agentTimestampMs, eventId } = record(params._meta);
    const timestamp = number(agentTimestampMs);
    const facts = { id: `${word(record(params._meta).promptId) ?? ''}/${answer}`, timestamp };
    const said = text(record(update.content).text);
    switch (update.sessionUpdate) {
      case 'user_message_chunk':
        if (isPrompt(update)) transcript.user(said ?? '', { id: word(eventId), timestamp });
        break;
      case 'agent_message_chunk':
        transcript.assistant({ text: said }, facts);
        break;
      case 'agent_thought_chunk':
        transcript.assistant({ thinking: said }, facts);
        break;
      case 'tool_call':
        addCall(transcript, update, facts);
        break;
      case 'tool_call_update':
        if (addResult(transcript, update)) answer += 1;
        break;
      case 'auto_compact_completed':
        transcript.note('The conversation so far was summarized.', { timestamp });
        break;
    }
  }
}

function addCall(transcript: Transcript, update: Json, facts: Parameters<Transcript['toolCall']>[1]): void {
  const toolCallId = word(update.toolCallId);
  if (!toolCallId) return;
  const name = toolName(update) ?? word(update.title) ?? '';
  transcript.toolCall({ toolCallId, toolName: name, input: toolInput(update) ?? update.rawInput }, facts);
}

/** Whether the call has ended. A failed command is `completed`, with its exit code. */
function addResult(transcript: Transcript, { toolCallId, status, content, rawOutput }: Json): boolean {
  const id = word(toolCallId);
  if (!id || (status !== 'completed' && status !== 'failed')) return false;
  const { output_for_prompt, exit_code } = record(rawOutput);
  const shown = records(content).map((part) => text(record(part.content).text) ?? '');
  const failed = status === 'failed' || (number(exit_code) ?? 0) !== 0;
  transcript.toolResult(id, text(output_for_prompt) ?? shown.join('\n'), failed);
  return true;
}
