import { basename } from 'node:path';
import {
  readJsonLines,
  rebuildTree,
  type SessionContent,
  type SessionLines,
  sumUsage,
  type Transcript,
  type TreeEntry,
} from '@agent-mux/core';
import { joinTexts } from '../shared/content.ts';
import { isoTime, type Json, record, records, text, word } from '../shared/json.ts';
import { modelName } from './messages.ts';
import { type Spent, spentOf } from './usage.ts';

/**
 * A header, then entries that each name their parent: a tree, in which a rewind adds a second child. The agent resumes
 * from the last line. Seen with pi 0.87.1 and omp 18.2.3, whose files start with a title.
 */
export function parseSessionTree(content: SessionLines): SessionContent | null {
  const { records: lines, warnings } = readJsonLines(content);
  const header = lines.slice(0, 2).find(({ type }) => type === 'session');
  const sessionId = word(header?.id);
  if (!header || !sessionId) return null;
  const createdAt = isoTime(header.timestamp);
  const entries = entriesOf(lines, header);
  const own = entries.filter(({ entry }) => !isCopied(entry, createdAt));
  const { nodes, activeId } = spokenTree(entries);
  const add = (transcript: Transcript, entry: Json) => addEntry(transcript, entry, createdAt);
  const { transcript, branches } = rebuildTree(nodes, add, activeId);
  const spent = own.flatMap(({ entry }) => spentBy(entry) ?? []);
  const costs = spent.flatMap(({ costUsd }) => costUsd ?? []);
  return {
    sessionId,
    title: titleOf(lines),
    cwd: word(header.cwd),
    model: transcript.messages.findLast(({ model }) => model !== undefined)?.model ?? chosenModel(lines),
    createdAt,
    updatedAt: entries.map(({ entry }) => isoTime(entry.timestamp)).findLast((time) => time !== undefined) ?? createdAt,
    parentSessionId: parentOf(header),
    messages: transcript.messages,
    ...(branches ? { branches } : {}),
    usage: sumUsage(spent.map(({ usage }) => usage)),
    costUsd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
    ...(warnings.length > 0 ? { warnings: warnings } : {}),
  };
}

/** The first version of the format had no ids: its entries follow one another. */
function entriesOf(lines: readonly Json[], header: Json): TreeEntry<Json>[] {
  const numbered = header.version !== undefined && header.version !== 1;
  const all = lines.filter((line) => line !== header && line.type !== 'title');
  if (!numbered) {
    return all.map((entry, index) => ({ id: String(index), parentId: index === 0 ? null : String(index - 1), entry }));
  }
  return all.flatMap((entry) => {
    const id = word(entry.id);
    return id ? [{ id, parentId: word(entry.parentId) ?? null, entry }] : [];
  });
}

/** Without entries that show nothing: a change of the model, a label, a name. A branch may end with such an entry. */
function spokenTree(entries: readonly TreeEntry<Json>[]): { nodes: TreeEntry<Json>[]; activeId: string | undefined } {
  const nearest = new Map<string, string | null>();
  const nodes: TreeEntry<Json>[] = [];
  for (const { id, parentId, entry } of entries) {
    const before = parentId === null ? null : (nearest.get(parentId) ?? null);
    if (speaks(entry)) nodes.push({ id, parentId: before, entry });
    nearest.set(id, speaks(entry) ? id : before);
  }
  const last = entries.at(-1);
  return { nodes, activeId: (last && nearest.get(last.id)) ?? undefined };
}

const NOTES: Readonly<Record<string, string>> = {
  compaction: 'The conversation so far was summarized.',
  branch_summary: 'Another branch of the conversation was summarized.',
};
/** `system` is the prompt of the agent with its tools, `custom` comes from extensions. */
const ROLES: readonly unknown[] = ['user', 'assistant', 'toolResult', 'bashExecution'];

function speaks(entry: Json): boolean {
  if (entry.type === 'message') return ROLES.includes(record(entry.message).role);
  return typeof entry.type === 'string' && Object.hasOwn(NOTES, entry.type);
}

type Facts = { id?: string; timestamp?: number } & Partial<Spent>;

function addEntry(transcript: Transcript, entry: Json, createdAt: number | undefined): void {
  const facts: Facts = {
    id: word(entry.id),
    timestamp: isoTime(entry.timestamp),
    ...(isCopied(entry, createdAt) ? {} : spentBy(entry)),
  };
  const note = NOTES[text(entry.type) ?? ''];
  const message = record(entry.message);
  if (note) transcript.note(note, facts);
  else if (message.role === 'user') transcript.user(joinTexts(message.content), facts);
  else if (message.role === 'assistant') addAnswer(transcript, message, facts);
  else if (message.role === 'toolResult') {
    transcript.toolResult(text(message.toolCallId) ?? '', joinTexts(message.content), message.isError === true);
  } else if (message.role === 'bashExecution') {
    transcript.note(`$ ${text(message.command) ?? ''}\n${text(message.output) ?? ''}`.trimEnd(), facts);
  }
}

function addAnswer(transcript: Transcript, message: Json, known: Facts): void {
  const facts = { ...known, model: modelName(message.provider, message.model) };
  transcript.assistant({}, facts);
  for (const block of records(message.content)) {
    const toolCallId = word(block.id);
    if (block.type === 'text') transcript.assistant({ text: text(block.text) }, facts);
    else if (block.type === 'thinking') transcript.assistant({ thinking: text(block.thinking) }, facts);
    else if (block.type === 'toolCall' && toolCallId) {
      transcript.toolCall({ toolCallId, toolName: word(block.name) ?? '', input: block.arguments ?? {} }, facts);
    }
  }
  const failure = word(message.errorMessage);
  if (failure) transcript.note(failure, { timestamp: known.timestamp });
}

/** Usage of an answer or a summary; `usage` entries are requests without output, to keep a cache warm. */
function spentBy(entry: Json): Spent | undefined {
  return spentOf(entry.type === 'message' ? record(entry.message).usage : entry.usage);
}

/** A fork copies the entries with their prices, which were paid in the original session. */
function isCopied(entry: Json, createdAt: number | undefined): boolean {
  const time = isoTime(entry.timestamp);
  return createdAt !== undefined && time !== undefined && time < createdAt;
}

/** The title of the user, or a generated one. */
function titleOf(lines: readonly Json[]): string | undefined {
  const named = lines.findLast(({ type }) => type === 'session_info' || type === 'title_change');
  return word(named?.name) ?? word(named?.title) ?? word(lines.find(({ type }) => type === 'title')?.title);
}

function chosenModel(lines: readonly Json[]): string | undefined {
  const change = lines.findLast(({ type }) => type === 'model_change');
  return word(change?.model) ?? modelName(change?.provider, change?.modelId);
}

/** pi names the file of the session that this one was forked from, omp its id. */
function parentOf(header: Json): string | undefined {
  const parent = word(header.parentSession);
  return parent?.endsWith('.jsonl') ? basename(parent, '.jsonl').replace(/^[^_]*_/, '') : parent;
}
