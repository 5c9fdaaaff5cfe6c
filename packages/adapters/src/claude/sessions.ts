import { basename, dirname, join } from 'node:path';
import {
  expandPath,
  readJsonLines,
  rebuildTree,
  type SessionContent,
  type SessionLines,
  sessionFiles,
  type Transcript,
} from '@agent-mux/core';
import { countsOf, isNothing, tokenUsage } from '../claude-stream/usage.ts';
import { isoTime, type Json, number, record, records, text, word } from '../shared/json.ts';
import { withoutReminders } from '../shared/reminders.ts';
import { CONFIG_HOME } from './home.ts';
import { parseNotice } from './notices.ts';

const ROOT = `${CONFIG_HOME}/projects`;
/** The model name of messages that the CLI itself wrote. */
const SYNTHETIC = '<synthetic>';

/** One folder per working directory: its path with everything except letters and digits replaced by `-`. */
export function sessionDir(cwd?: string): string {
  const root = expandPath(ROOT);
  return cwd === undefined ? root : join(root, cwd.replace(/[^a-zA-Z0-9]/g, '-'));
}

/** A file in a folder below the projects; deeper files belong to subagents. */
export const SESSION_STORE = sessionFiles({
  agent: 'claude',
  root: ROOT,
  accepts: (path) => /^[^/]+\/[^/]+\.jsonl$/.test(path),
  hasLines: () => true,
  parse: parseSession,
  belongings,
});

/** Transcripts of subagents, and other files of the session: shell environments, earlier states of files. */
function belongings(path: string): string[] {
  const id = basename(path, '.jsonl');
  const home = dirname(dirname(dirname(path)));
  return [join(dirname(path), id), join(home, 'session-env', id), join(home, 'file-history', id)];
}

/** A prompt and all records until the next one. */
interface Turn {
  id: string;
  parentId: string | null;
  entry: Json[];
}

/**
 * One record per line; of the many types only `user`, `assistant` and `cost-state` matter. The `api-request` records
 * hold the system prompt and are never shown. Records form a tree: rewinding in the terminal and asking something else
 * adds a second prompt after the same record. Parallel tools fork it too, so the nodes are turns, not records.
 */
export function parseSession(content: SessionLines, path: string): SessionContent | null {
  const { records: lines, warnings } = readJsonLines(content);
  const said = lines.filter(
    ({ type, isSidechain }) => (type === 'user' || type === 'assistant') && isSidechain !== true,
  );
  if (lines.length === 0 || !lines.some(({ type }) => typeof type === 'string')) return null;
  const copied = copiedIn(lines);
  const add = (into: Transcript, turn: readonly Json[]) => addTurn(into, turn, copied);
  const { transcript, branches } = rebuildTree(turnsOf(lines), add);
  const times = said.map(({ timestamp }) => isoTime(timestamp)).filter((time) => time !== undefined);
  const models = said.map((entry) => modelOf(record(entry.message))).filter((model) => model !== undefined);
  const cost = lines.findLast(({ type }) => type === 'cost-state');
  return {
    sessionId: basename(path, '.jsonl'),
    title: titleIn(lines),
    cwd: said.map(({ cwd }) => word(cwd)).find((cwd) => cwd !== undefined),
    model: models.at(-1),
    createdAt: times[0],
    updatedAt: times.at(-1),
    parentSessionId: said.map(({ forkedFrom }) => word(record(forkedFrom).sessionId)).find((id) => id !== undefined),
    messages: transcript.messages,
    ...(branches ? { branches } : {}),
    usage: transcript.usage,
    // A fork continues the count of the original session; its own share is not reported.
    ...(cost && copied.size === 0 ? { costUsd: number(cost.totalCostUSD) ?? null } : {}),
    ...(warnings.length > 0 ? { warnings: warnings } : {}),
  };
}

/**
 * A fork starts with the records of the original session, under its own id: they were paid for there. With 2.1.325 they
 * are recognized only by their times, which are before the first record of the file; other ways to fork name the
 * original session.
 */
function copiedIn(lines: readonly Json[]): ReadonlySet<Json> {
  const own = lines.map(({ sessionId }) => word(sessionId)).findLast((id) => id !== undefined);
  const startedAt = lines.map(({ timestamp }) => isoTime(timestamp)).find((time) => time !== undefined) ?? 0;
  const isCopied = (line: Json) =>
    word(record(line.forkedFrom).sessionId) !== undefined ||
    (word(line.sessionId) ?? own) !== own ||
    (isoTime(line.timestamp) ?? startedAt) < startedAt;
  return new Set(lines.filter((line) => line.type === 'assistant' && isCopied(line)));
}

/** The title of the user wins over that of a model. */
function titleIn(lines: readonly Json[]): string | undefined {
  const last = (type: string, key: string) => word(lines.findLast((line) => line.type === type)?.[key]);
  return last('custom-title', 'customTitle') ?? last('ai-title', 'aiTitle') ?? last('summary', 'summary');
}

function turnsOf(lines: readonly Json[]): Turn[] {
  const turns: Turn[] = [];
  const turnOfRecord = new Map<string, Turn>();
  for (const line of lines) {
    if (line.isSidechain === true) continue;
    const id = word(line.uuid);
    const before = word(line.parentUuid) ?? word(line.logicalParentUuid);
    const earlier = before === undefined ? undefined : turnOfRecord.get(before);
    if (id && isPrompt(line)) turns.push({ id, parentId: earlier?.id ?? null, entry: [] });
    const turn = isPrompt(line) ? turns.at(-1) : (earlier ?? turns.at(-1));
    if (!turn) continue;
    turn.entry.push(line);
    if (id) turnOfRecord.set(id, turn);
  }
  return turns;
}

/** Neither the result of a tool nor text added by the CLI. */
function isPrompt(line: Json): boolean {
  return isWords(line) && 'prompt' in parseNotice(plain(record(line.message).content));
}

function isWords({ type, isMeta, isCompactSummary, message }: Json): boolean {
  if (type !== 'user' || isMeta === true || isCompactSummary === true) return false;
  const { content } = record(message);
  return typeof content === 'string' || !records(content).some((block) => block.type === 'tool_result');
}

function addTurn(transcript: Transcript, lines: readonly Json[], copied: ReadonlySet<Json>): void {
  for (const line of lines) {
    const message = record(line.message);
    const timestamp = isoTime(line.timestamp);
    if (line.isCompactSummary === true) transcript.note('The conversation so far was summarized.', { timestamp });
    else if (isWords(line)) addWords(transcript, plain(message.content), { id: word(line.uuid), timestamp });
    else if (line.type === 'user') addResults(transcript, message);
    else if (line.type === 'assistant') addAnswer(transcript, line, message, { timestamp, paid: !copied.has(line) });
  }
}

function addWords(transcript: Transcript, content: string, facts: { id?: string; timestamp?: number }): void {
  const said = parseNotice(content);
  if ('prompt' in said) transcript.user(said.prompt, facts);
  else transcript.note(said.note, facts);
}

function addAnswer(
  transcript: Transcript,
  line: Json,
  message: Json,
  { timestamp, paid }: { timestamp: number | undefined; paid: boolean },
): void {
  // Such as the reason for a missing model answer.
  if (message.model === SYNTHETIC) {
    transcript.note(plain(message.content), { id: word(line.uuid), timestamp });
    return;
  }
  const counts = countsOf(message.usage);
  // A message of several blocks is recorded once per block, every time with its usage.
  const facts = {
    id: word(message.id) ?? word(line.uuid),
    timestamp,
    model: modelOf(message),
    usage: isNothing(counts) || !paid ? undefined : tokenUsage(counts),
  };
  for (const block of records(message.content)) {
    const toolCallId = word(block.id);
    if (block.type === 'text') transcript.assistant({ text: text(block.text) }, facts);
    else if (block.type === 'thinking') transcript.assistant({ thinking: text(block.thinking) }, facts);
    else if (block.type === 'tool_use' && toolCallId)
      transcript.toolCall({ toolCallId, toolName: word(block.name) ?? '', input: block.input }, facts);
  }
}

function addResults(transcript: Transcript, message: Json): void {
  for (const block of records(message.content)) {
    const id = word(block.tool_use_id);
    if (block.type === 'tool_result' && id) transcript.toolResult(id, plain(block.content), block.is_error === true);
  }
}

function modelOf(message: Json): string | undefined {
  return message.model === SYNTHETIC ? undefined : word(message.model);
}

function plain(content: unknown): string {
  if (typeof content === 'string') return withoutReminders(content);
  return records(content)
    .map((part) => text(part.text))
    .filter((part) => part !== undefined)
    .map(withoutReminders)
    .filter((part) => part !== '')
    .join('\n');
}
