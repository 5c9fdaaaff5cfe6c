import { type SessionContent, type SessionStore, sessionFiles, Transcript } from '@agent-mux/core';
import { isoTime, isRecord, type Json, number, parseRecord, record, records, text, word } from '../shared/json.ts';
import { plainTokenUsage } from '../shared/usage.ts';
import { CLINE_DATA } from './home.ts';

const ROOT = `${CLINE_DATA}/sessions`;

/** A folder for each session with its messages; further files there belong to its team. */
const MESSAGES = sessionFiles({
  agent: 'cline',
  root: ROOT,
  accepts: (path) => /^([^/]+)\/\1\.messages\.json$/.test(path),
  parse: (content) => parseMessages(content),
});

/** The companion file: working directory and title. */
const MANIFEST = sessionFiles({ agent: 'cline', root: ROOT, accepts: () => false, parse: parseManifest });

/**
 * Not deletable: a session without files is still in the list of `cline history`, which is stored in a database
 * (3.0.65).
 */
export const SESSION_STORE: SessionStore = {
  root: MESSAGES.root,
  find: MESSAGES.find,
  async read(ref, how) {
    const session = await MESSAGES.read(ref, how);
    const path = ref.path.replace(/\.messages\.json$/, '.json');
    const manifest = await MANIFEST.read({ path, stamp: '' }).catch(() => undefined);
    if (!manifest) return session;
    const { title, cwd, model, createdAt, usage, costUsd } = manifest;
    return {
      ...session,
      title,
      cwd,
      model: session.model ?? model,
      createdAt: createdAt ?? session.createdAt,
      usage: usage ?? session.usage,
      costUsd,
    };
  },
};

/** `system_prompt` is that of the vendor. */
export function parseMessages(content: string): SessionContent | null {
  const file = parseRecord(content);
  const sessionId = word(file?.sessionId);
  if (!file || sessionId === undefined || !Array.isArray(file.messages)) return null;
  const transcript = new Transcript();
  for (const message of records(file.messages)) addMessage(transcript, message);
  const { messages } = transcript;
  const times = messages.map(({ timestamp }) => timestamp).filter((time) => time !== undefined);
  return {
    sessionId,
    model: messages.findLast(({ model }) => model !== undefined)?.model,
    createdAt: times[0],
    updatedAt: isoTime(file.updated_at) ?? times.at(-1),
    messages,
    usage: transcript.usage,
  };
}

/** Cline reports an unknown price as 0. */
export function parseManifest(content: string): SessionContent | null {
  const file = parseRecord(content);
  const sessionId = word(file?.session_id);
  if (!file || sessionId === undefined) return null;
  const metadata = record(file.metadata);
  return {
    sessionId,
    title: word(metadata.title),
    cwd: word(file.cwd),
    model: word(file.model),
    createdAt: isoTime(file.started_at),
    messages: [],
    // Includes subagents.
    ...(isRecord(metadata.aggregateUsage) ? { usage: plainTokenUsage(metadata.aggregateUsage) } : {}),
    costUsd: number(metadata.aggregatedAgentsCost) ?? number(metadata.totalCost) ?? null,
  };
}

function addMessage(transcript: Transcript, message: Json): void {
  const blocks =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : records(message.content);
  const facts = { id: word(message.id), timestamp: number(message.ts) };
  if (message.role === 'user') {
    for (const block of blocks) if (block.type === 'tool_result') addResult(transcript, block);
    const said = blocks.filter(({ type }) => type === 'text').map((block) => promptIn(text(block.text) ?? ''));
    if (said.length > 0) transcript.user(said.join('\n'), facts);
  } else if (message.role === 'assistant') addAnswer(transcript, message, blocks, facts);
}

function addAnswer(
  transcript: Transcript,
  message: Json,
  blocks: readonly Json[],
  { id, timestamp }: { id?: string; timestamp?: number },
): void {
  const usage = isRecord(message.metrics) ? plainTokenUsage(message.metrics) : undefined;
  const facts = { id, timestamp, model: word(record(message.modelInfo).id), usage };
  for (const block of blocks) {
    const toolCallId = word(block.id);
    if (block.type === 'text') transcript.assistant({ text: text(block.text) }, facts);
    else if (block.type === 'thinking') transcript.assistant({ thinking: text(block.thinking) }, facts);
    else if (block.type === 'tool_use' && toolCallId)
      transcript.toolCall({ toolCallId, toolName: word(block.name) ?? '', input: block.input }, facts);
  }
}

/** A tool does several things at once (commands, files), and any of them may fail. */
function addResult(transcript: Transcript, block: Json): void {
  const id = word(block.tool_use_id);
  if (id === undefined) return;
  const parts = records(block.content);
  const output = parts.map((part) => text(part.result) ?? text(part.text) ?? text(part.error) ?? '').join('\n');
  const failed = block.is_error === true || parts.some(({ success }) => success === false);
  transcript.toolResult(id, text(block.content) ?? output, failed);
}

/** The prompt is in a tag that names the mode. */
function promptIn(said: string): string {
  const tag = said.indexOf('<user_input');
  const start = tag === -1 ? -1 : said.indexOf('>', tag) + 1;
  const end = said.lastIndexOf('</user_input>');
  return start > 0 && end >= start ? said.slice(start, end) : said;
}
