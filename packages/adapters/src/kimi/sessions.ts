import { basename, dirname, join } from 'node:path';
import {
  readJsonLines,
  rebuildTree,
  type SessionContent,
  sessionFiles,
  sumUsage,
  type TokenUsage,
  type Transcript,
} from '@agent-mux/core';
import { joinTexts } from '../shared/content.ts';
import { isRecord, type Json, number, parseRecord, record, text, word } from '../shared/json.ts';
import { KIMI_HOME } from './home.ts';

/** A folder for each session; the messages of its main agent are in `wire.jsonl`, and subagents have a separate one. */
export const SESSION_STORE = sessionFiles({
  agent: 'kimi',
  root: `${KIMI_HOME}/sessions`,
  accepts: (path) => /^[^/]+\/session_[^/]+\/state\.json$/.test(path),
  companions: (path) => [join(dirname(path), 'agents', 'main', 'wire.jsonl')],
  belongings: (path) => [dirname(path)],
  parse: parseSession,
});

/** Protocol 1.5. The records also hold the system prompt, tools and reminders: none of them is a message. */
export function parseSession(
  content: string,
  path: string,
  [wire = '']: readonly (string | undefined)[],
): SessionContent | null {
  const state = parseRecord(content);
  const sessionId = word(state?.id) ?? (isRecord(state?.agents) ? basename(dirname(path)) : undefined);
  if (!state || !sessionId) return null;
  const { records: lines, warnings } = readJsonLines(wire);
  const { turns, activeId } = turnsOf(lines);
  const own = new Set(ownLines(lines));
  const add = (into: Transcript, turn: readonly Json[]) => addTurn(into, turn, own);
  const { transcript, branches } = rebuildTree(turns, add, activeId);
  return {
    sessionId,
    title: word(state.title),
    cwd: word(state.cwd),
    model: lines.map(({ modelAlias }) => word(modelAlias)).findLast((model) => model !== undefined),
    createdAt: number(state.createdAt),
    updatedAt: number(state.updatedAt),
    parentSessionId: word(state.forkedFrom),
    messages: transcript.messages,
    ...(branches ? { branches } : {}),
    usage: sumUsage([...own].filter(({ type }) => type === 'usage.record').map(({ usage }) => usageOf(usage))),
    ...(warnings.length > 0 ? { warnings: warnings } : {}),
  };
}

/** A fork starts with all records of its parent: their usage was spent there. */
function ownLines(lines: readonly Json[]): readonly Json[] {
  return lines.slice(lines.findLastIndex(({ type }) => type === 'forked') + 1);
}

function usageOf(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const counts = ['inputOther', 'output', 'inputCacheRead', 'inputCacheCreation'].map((name) => number(usage[name]));
  const [input = null, output = null, cacheRead = null, cacheCreation = null] = counts;
  return {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: cacheRead,
    cacheCreationTokens: cacheCreation,
    totalTokens: counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
  };
}

interface Turn {
  id: string;
  parentId: string | null;
  entry: Json[];
}

/** `context.undo` removes the last prompts and everything after them. */
function turnsOf(lines: readonly Json[]): { turns: Turn[]; activeId?: string } {
  const turns: Turn[] = [];
  let way: Turn[] = [];
  for (const line of lines) {
    if (line.type === 'context.undo') way = way.slice(0, Math.max(0, way.length - (number(line.count) ?? 0)));
    if (isPrompt(line)) {
      const turn: Turn = { id: `turn-${turns.length}`, parentId: way.at(-1)?.id ?? null, entry: [] };
      turns.push(turn);
      way = [...way, turn];
    }
    way.at(-1)?.entry.push(line);
  }
  return { turns, activeId: way.at(-1)?.id };
}

/** Reminders, results of tasks and summaries have the role of the user, but another origin. */
function isPrompt({ type, message }: Json): boolean {
  const { role, origin } = record(message);
  return type === 'context.append_message' && role === 'user' && record(origin).kind === 'user';
}

function addTurn(transcript: Transcript, lines: readonly Json[], own: ReadonlySet<Json>): void {
  let model: string | undefined;
  for (const line of lines) {
    const timestamp = number(line.time);
    if (isPrompt(line)) {
      const message = record(line.message);
      transcript.user(joinTexts(message.content), { id: word(message.id), timestamp });
    }
    if (line.type === 'llm.request') model = word(line.modelAlias);
    if (line.type === 'context.append_loop_event') {
      const event = record(line.event);
      const usage = event.type === 'step.end' && own.has(line) ? usageOf(event.usage) : undefined;
      addEvent(transcript, event, { timestamp, model, usage });
    }
    if (line.type === 'context.apply_compaction')
      transcript.note('The conversation so far was summarized.', { timestamp });
    if (line.type === 'context.clear') transcript.note('The context was cleared.', { timestamp });
  }
}

function addEvent(transcript: Transcript, event: Json, facts: Parameters<Transcript['assistant']>[1]): void {
  const id = word(event.stepUuid) ?? word(event.uuid);
  const toolCallId = word(event.toolCallId);
  const part = record(event.part);
  switch (event.type) {
    case 'content.part':
      transcript.assistant({ text: text(part.text), thinking: text(part.think) }, { id, ...facts });
      break;
    case 'tool.call':
      if (toolCallId)
        transcript.toolCall({ toolCallId, toolName: word(event.name) ?? '', input: event.args }, { id, ...facts });
      break;
    case 'tool.result': {
      const { output, isError } = record(event.result);
      if (toolCallId) transcript.toolResult(toolCallId, joinTexts(output), isError === true);
      break;
    }
    case 'step.end':
      transcript.assistant({}, { id, ...facts });
      break;
  }
}
