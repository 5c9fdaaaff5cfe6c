import { basename } from 'node:path';
import {
  expandPath,
  readJsonLines,
  type SessionContent,
  type SessionLines,
  sessionFiles,
  Transcript,
} from '@agent-mux/core';
import { joinTexts } from '../shared/content.ts';
import { isoTime, type Json, parseRecord, record, records, text, word } from '../shared/json.ts';
import { FACTORY_HOME } from './home.ts';
import { tokenUsage } from './items.ts';
import { NO_TITLE } from './state.ts';

const ROOT = `${FACTORY_HOME}/sessions`;
const USAGE = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheCreationTokens'] as const;
/** Text that the CLI adds to the user's. */
const REMINDER = /^\s*<system-reminder>/;

/** One folder per working directory: its path with dashes for slashes. */
export function sessionDir(cwd?: string): string {
  const all = expandPath(ROOT);
  return cwd === undefined ? all : `${all}/${cwd.replaceAll('/', '-')}`;
}

export const SESSION_STORE = sessionFiles({
  agent: 'droid',
  root: ROOT,
  accepts: (path) => /^[^/]+\/[^/]+\.jsonl$/.test(path),
  companions: (path) => [settingsOf(path)],
  belongings: (path) => [settingsOf(path), `${settingsOf(path)}.bak`],
  hasLines: () => true,
  parse: parseSession,
});

function settingsOf(path: string): string {
  return path.replace(/\.jsonl$/, '.settings.json');
}

/**
 * Records of 0.215 in chronological order; a fork is a separate file. Model and tokens are in the settings next to it.
 */
export function parseSession(
  content: SessionLines,
  path: string,
  [settingsText]: readonly (string | undefined)[],
): SessionContent | null {
  const { records: lines, warnings } = readJsonLines(content);
  const start = lines.find(({ type }) => type === 'session_start');
  if (!start) return null;
  const transcript = new Transcript();
  for (const line of lines) addRecord(transcript, line);
  const times = lines.map(({ timestamp }) => isoTime(timestamp)).filter((time) => time !== undefined);
  const settings = settingsText === undefined ? null : parseRecord(settingsText);
  const title = word(start.title);
  return {
    sessionId: word(start.id) ?? basename(path, '.jsonl'),
    title: title === NO_TITLE ? undefined : title,
    cwd: word(start.cwd),
    model: word(settings?.model) ?? transcript.messages.findLast(({ model }) => model !== undefined)?.model,
    createdAt: times[0],
    updatedAt: times.at(-1),
    parentSessionId: word(start.parent) ?? word(start.callingSessionId),
    messages: transcript.messages,
    usage: tokenUsage(settings?.tokenUsage, USAGE),
    ...(warnings.length > 0 ? { warnings: warnings } : {}),
  };
}

function addRecord(transcript: Transcript, line: Json): void {
  const timestamp = isoTime(line.timestamp);
  if (line.type === 'compaction_state') transcript.note('The conversation so far was summarized.', { timestamp });
  if (line.type !== 'message' || isVendorText(line)) return;
  const message = record(line.message);
  const facts = { id: word(line.id), timestamp };
  const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  if (message.role === 'user') addUser(transcript, records(blocks), facts);
  else if (message.role === 'assistant')
    addAnswer(transcript, records(blocks), { ...facts, model: word(message.modelId) });
}

/** A list of tools and skills, folders, the state of the repository: a message before the first prompt. */
function isVendorText({ id, message }: Json): boolean {
  const { visibility, isUserVisible } = record(message);
  return text(id)?.startsWith('context-') === true || visibility === 'llm_only' || isUserVisible === false;
}

type Facts = Parameters<Transcript['user']>[1];

function addUser(transcript: Transcript, blocks: readonly Json[], facts: Facts): void {
  const said = blocks
    .filter(({ type }) => type === 'text')
    .map((block) => text(block.text) ?? '')
    .filter((part) => !REMINDER.test(part));
  if (said.length > 0) transcript.user(said.join('\n'), facts);
  for (const { type, tool_use_id, content, is_error } of blocks) {
    const id = word(tool_use_id);
    if (type === 'tool_result' && id) transcript.toolResult(id, joinTexts(content), is_error === true);
  }
}

function addAnswer(transcript: Transcript, blocks: readonly Json[], facts: Facts): void {
  for (const block of blocks) {
    const toolCallId = word(block.id);
    if (block.type === 'text') transcript.assistant({ text: text(block.text) }, facts);
    else if (block.type === 'thinking') transcript.assistant({ thinking: text(block.thinking) }, facts);
    else if (block.type === 'tool_use' && toolCallId)
      transcript.toolCall({ toolCallId, toolName: word(block.name) ?? '', input: block.input }, facts);
  }
}
