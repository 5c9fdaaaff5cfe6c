import type { AnswerOf, StoredSessionSummary } from '@agent-mux/api/browser';
import type { Item, ToolItem, ToolKind } from '../../data/items.ts';
import { shorten } from '../../parts/format.logic.ts';

export type Stored = AnswerOf<'readHistory'>;
type StoredMessage = Stored['messages'][number];

/** What it is called: by its agent, by its first words, or by its id. */
export function nameOf({
  title,
  firstPrompt,
  sessionId,
}: Pick<StoredSessionSummary, 'title' | 'firstPrompt' | 'sessionId'>): string {
  const words = (title ?? firstPrompt ?? '').replace(/\s+/g, ' ').trim();
  return words === '' ? sessionId : shortenEnd(words, 160);
}

function shortenEnd(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

type Branch = NonNullable<Stored['branches']>[number];

/** The ways through a session that is a tree, the one that the agent goes on with first. Nothing where there is only one. */
export function branchesOf({ branches = [] }: Pick<Stored, 'branches'>): { id: string; label: string }[] {
  if (branches.length < 2) return [];
  return [...branches]
    .sort((a, b) => Number(b.active) - Number(a.active))
    .map((branch, at) => ({
      id: branch.id,
      label: `${at + 1}. ${branch.active ? 'goes on: ' : ''}${lastWords(branch)}`,
    }));
}

/** What was said last by the person tells one way from another. */
function lastWords({ messages }: Branch): string {
  const said = messages.findLast(({ role, text }) => role === 'user' && text.trim() !== '') ?? messages.at(-1);
  const words = (said?.text ?? '').replace(/\s+/g, ' ').trim();
  const count = messages.length === 1 ? '1 message' : `${messages.length} messages`;
  return words === '' ? count : `${shortenEnd(words, 60)} (${count})`;
}

/** The messages of the branch that was chosen; of the active one where none was. */
export function messagesOf({ messages, branches = [] }: Stored, chosen: string): Stored['messages'] {
  return branches.find(({ id }) => id === chosen)?.messages ?? messages;
}

/** Where a stored session is read; one that was found by its words, at those words. */
export function addressOf({
  agent,
  sessionId,
  snippet = [],
}: Pick<StoredSessionSummary, 'agent' | 'sessionId' | 'snippet'>): string {
  const path = `/history/${encodeURIComponent(agent)}/${encodeURIComponent(sessionId)}`;
  const first = snippet.findIndex(({ match }) => match);
  if (first === -1) return path;
  // Words that were found next to each other are looked for together.
  const end = snippet.findIndex(({ match, text }, at) => at > first && !match && text.trim() !== '');
  const found = snippet.slice(first, end === -1 ? undefined : end);
  const near = snippet.map(({ text }) => text).join('');
  return `${path}?${new URLSearchParams({ find: joinText(found), near })}`;
}

function joinText(parts: readonly { text: string }[]): string {
  return parts
    .map(({ text }) => text)
    .join('')
    .trim();
}

/** The messages of a stored session as the items that a live one has, so that the same components draw both. */
export function itemsOf(messages: readonly StoredMessage[]): Item[] {
  return messages.flatMap((message, at): Item[] => {
    const time = message.timestamp ?? 0;
    return partsOf(message).flatMap((part, index): Item[] => {
      const base = { key: `${at}-${index}`, seq: at, time };
      if (part.kind === 'tool') return [toolOf(part.call, base)];
      const { kind, text } = part;
      if (text.trim() === '') return [];
      if (kind === 'thinking') return [{ ...base, kind, text, isOpen: false, endedAt: time }];
      if (message.role === 'assistant') return [{ ...base, kind, text, isOpen: false }];
      if (message.role === 'system') return [{ ...base, kind: 'note', text: shorten(text, 400) }];
      return [{ ...base, kind: 'user', messageId: message.id ?? '', text, attachments: [], delivery: 'turn' }];
    });
  });
}

type Part = { kind: 'text' | 'thinking'; text: string } | { kind: 'tool'; call: Call };

/** In the order that was stored; where none was: thoughts, text, tool calls. */
function partsOf({ text, thinking = '', toolCalls = [], parts }: StoredMessage): Part[] {
  if (!parts)
    return [
      { kind: 'thinking', text: thinking },
      { kind: 'text', text },
      ...toolCalls.map((call) => ({ kind: 'tool' as const, call })),
    ];
  return parts.flatMap(({ type, text: piece, toolCallId }): Part[] => {
    if ((type === 'text' || type === 'thinking') && typeof piece === 'string') return [{ kind: type, text: piece }];
    const call = type === 'tool' ? toolCalls.find((each) => each.toolCallId === toolCallId) : undefined;
    return call ? [{ kind: 'tool', call }] : [];
  });
}

/** What kind it was is not stored; most names say it. */
export function kindOf(name: string): ToolKind {
  if (/^mcp__/.test(name)) return 'mcp';
  return KINDS.find(([known]) => known.test(name))?.[1] ?? 'other';
}

const KINDS: readonly (readonly [RegExp, ToolKind])[] = [
  [/fetch|web|browser/i, 'fetch'],
  [/bash|shell|exec|command|terminal/i, 'execute'],
  [/write|edit|patch|replace|create_file/i, 'edit'],
  [/grep|glob|search|find|list/i, 'search'],
  [/read|view|open/i, 'read'],
];

type Call = NonNullable<StoredMessage['toolCalls']>[number];

function toolOf(call: Call, base: Pick<ToolItem, 'key' | 'seq' | 'time'>): ToolItem {
  const isUnfinished = call.output === undefined && call.isError !== true;
  return {
    ...base,
    kind: 'tool',
    toolCallId: call.toolCallId,
    name: call.toolName,
    server: null,
    toolKind: kindOf(call.toolName),
    input: call.input,
    partialInput: '',
    output: call.output,
    liveOutput: '',
    error: call.isError === true ? (call.output ?? 'it failed') : null,
    exitCode: null,
    status: call.isError === true ? 'failed' : isUnfinished ? 'unfinished' : 'done',
    endedAt: base.time,
    changes: [],
    asked: null,
    subagent: null,
    children: [],
  };
}

/** What could not be read, in a sentence for each agent; the same twice is said once. */
export function tellProblems(problems: AnswerOf<'listHistory'>['problems']): string[] {
  return [...new Set(problems.map(({ agent, path, problem }) => `${agent ?? 'unknown agent'}: ${problem} (${path})`))];
}
