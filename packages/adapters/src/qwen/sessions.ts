import { basename, dirname, join } from 'node:path';
import {
  readJsonLines,
  rebuildTree,
  type SessionContent,
  type SessionLines,
  type SessionStore,
  sessionFiles,
  type TokenUsage,
  type Transcript,
} from '@agent-mux/core';
import { addParts, partsOf, resultsIn, textIn } from '../shared/gemini-parts.ts';
import { isoTime, isRecord, type Json, number, record, word } from '../shared/json.ts';
import { withoutReminders } from '../shared/reminders.ts';
import { CONFIG_HOME } from './home.ts';

const NEXT_TO_SETTINGS = storeIn(CONFIG_HOME);
const SEPARATE = storeIn('{QWEN_RUNTIME_DIR:-.}');

/** Sessions move with QWEN_HOME, or without it with QWEN_RUNTIME_DIR. */
export const SESSION_STORE: SessionStore = {
  ...NEXT_TO_SETTINGS,
  root: (env) => storeOf(env).root(env),
  find: (env) => storeOf(env).find(env),
};

/** One folder per working directory: its path with everything except letters and digits replaced by `-`. */
export function sessionDir(cwd?: string): string {
  const root = SESSION_STORE.root(process.env);
  return cwd === undefined ? root : join(root, cwd.replace(/[^a-zA-Z0-9]/g, '-'), 'chats');
}

function storeOf(env: NodeJS.ProcessEnv): SessionStore {
  return env.QWEN_RUNTIME_DIR ? SEPARATE : NEXT_TO_SETTINGS;
}

function storeIn(home: string): SessionStore {
  return sessionFiles({
    agent: 'qwen',
    root: `${home}/projects`,
    accepts: (path) => /^[^/]+\/chats\/[^/]+\.jsonl$/.test(path),
    hasLines: () => true,
    parse: parseSession,
    belongings,
  });
}

/** Transcripts of subagents, and earlier states of files. */
function belongings(path: string): string[] {
  const id = basename(path, '.jsonl');
  const project = dirname(dirname(path));
  return [join(project, 'subagents', id), join(dirname(dirname(project)), 'file-history', id)];
}

/**
 * One record per line, each with its parent. Messages have the parts of Google's API; of the many system records only
 * those about the conversation matter. After a rewind the next record follows an earlier one.
 */
export function parseSession(content: SessionLines, path: string): SessionContent | null {
  const { records: lines, warnings } = readJsonLines(content);
  const entries = lines.flatMap((line) => {
    const id = word(line.uuid);
    return id ? [{ id, parentId: word(line.parentUuid) ?? null, entry: line }] : [];
  });
  const [first] = lines;
  if (first === undefined || entries.length === 0) return null;
  const { transcript, branches } = rebuildTree(entries, addRecord);
  const noted = (subtype: string, key: string) =>
    word(record(lines.findLast((line) => line.subtype === subtype)?.systemPayload)[key]);
  return {
    sessionId: basename(path, '.jsonl'),
    title: noted('custom_title', 'customTitle'),
    cwd: word(first.cwd),
    model: lines.map(({ model }) => word(model)).findLast((model) => model !== undefined),
    createdAt: isoTime(first.timestamp),
    updatedAt: lines.map(({ timestamp }) => isoTime(timestamp)).findLast((time) => time !== undefined),
    parentSessionId: word(record(first.forkedFrom).sessionId) ?? noted('parent_session', 'parentSessionId'),
    messages: transcript.messages,
    ...(branches ? { branches } : {}),
    usage: transcript.usage,
    ...(warnings.length > 0 ? { warnings: warnings } : {}),
  };
}

function addRecord(transcript: Transcript, line: Json): void {
  const parts = partsOf(record(line.message).parts);
  const facts = { id: word(line.uuid), timestamp: isoTime(line.timestamp) };
  if (line.type === 'user') addWords(transcript, line, parts, facts);
  else if (line.type === 'assistant') addAnswer(transcript, line, parts);
  else if (line.type === 'tool_result') {
    for (const { toolCallId, output, isError } of resultsIn(parts)) {
      transcript.toolResult(toolCallId, withoutReminders(output), isError);
    }
  } else if (line.subtype === 'chat_compression') {
    transcript.note('The conversation so far was summarized.', facts);
  }
}

/** The shown prompt may be shorter than the one for the model: without the files that it names. */
function addWords(transcript: Transcript, line: Json, parts: Json[], facts: { id?: string; timestamp?: number }): void {
  const shown = word(record(line.systemPayload).displayText);
  // A pipe adds empty lines to its output.
  const said = withoutReminders(shown ?? textIn(parts)).trimEnd();
  if (line.provenance === undefined || line.provenance === 'real_user') transcript.user(said, facts);
  else if (shown) transcript.note(said, facts);
}

function addAnswer(transcript: Transcript, line: Json, parts: Json[]): void {
  const facts = {
    id: word(line.uuid),
    timestamp: isoTime(line.timestamp),
    model: word(line.model),
    // A fork starts with the records of its parent: they were paid for there.
    usage: isRecord(line.forkedFrom) ? undefined : usageOf(line.usageMetadata),
  };
  addParts(transcript, parts, facts);
}

/** The prompt count includes cached tokens; here they are separate. */
function usageOf(usage: unknown): TokenUsage | undefined {
  if (!isRecord(usage)) return undefined;
  const prompt = number(usage.promptTokenCount);
  const cached = number(usage.cachedContentTokenCount);
  return {
    inputTokens: prompt === undefined ? null : Math.max(0, prompt - (cached ?? 0)),
    outputTokens: number(usage.candidatesTokenCount) ?? null,
    cacheReadTokens: cached ?? null,
    cacheCreationTokens: null,
    totalTokens: number(usage.totalTokenCount) ?? null,
  };
}
