import type { OperationResponse, StoredSessionSummary } from '@agent-mux/api/browser';
import { shorten } from '../../components/format.logic.ts';
import type { Item, ToolItem, ToolKind } from '../../data/items.ts';

export type Stored = OperationResponse<'getHistory'>;
type StoredMessage = Stored['messages'][number];

/** Display name of a stored session: its title, its first prompt, or its id. */
export function nameOf({
  title,
  firstPrompt,
  agentSessionId,
}: Pick<StoredSessionSummary, 'title' | 'firstPrompt' | 'agentSessionId'>): string {
  const name = (title ?? firstPrompt ?? '').replace(/\s+/g, ' ').trim();
  return name === '' ? agentSessionId : shortenEnd(name, 160);
}

function shortenEnd(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}

type Branch = NonNullable<Stored['branches']>[number];

/** Branches of a session that is a tree, the active one first. Empty if there is only one. */
export function branchesOf({ branches = [] }: Pick<Stored, 'branches'>): { id: string; label: string }[] {
  if (branches.length < 2) return [];
  return [...branches]
    .sort((a, b) => Number(b.active) - Number(a.active))
    .map((branch, at) => ({
      id: branch.id,
      label: `${at + 1}. ${branch.active ? 'active: ' : ''}${branchText(branch)}`,
    }));
}

/** Labels a branch by its last user message. */
function branchText({ messages }: Branch): string {
  const last = messages.findLast(({ role, text }) => role === 'user' && text.trim() !== '') ?? messages.at(-1);
  const text = (last?.text ?? '').replace(/\s+/g, ' ').trim();
  const count = messages.length === 1 ? '1 message' : `${messages.length} messages`;
  return text === '' ? count : `${shortenEnd(text, 60)} (${count})`;
}

/** Messages of the chosen branch, or of the active one. */
export function messagesOf({ messages, branches = [] }: Stored, chosen: string): Stored['messages'] {
  return branches.find(({ id }) => id === chosen)?.messages ?? messages;
}

/** Path of a stored session's page. A search result links to its matching text. */
export function pathOf({
  agent,
  agentSessionId,
  snippet = [],
}: Pick<StoredSessionSummary, 'agent' | 'agentSessionId' | 'snippet'>): string {
  const path = `/history/${encodeURIComponent(agent)}/${encodeURIComponent(agentSessionId)}`;
  const first = snippet.findIndex(({ match }) => match);
  if (first === -1) return path;
  // Adjacent matches are searched as one phrase.
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

/** Converts stored messages to the items of a live session, so that the same components render both. */
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

/** Parts in their stored order, or by default: thinking, text, tool calls. */
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

/** The tool kind is not stored; it is inferred from the name. */
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
    error: call.isError === true ? (call.output ?? 'failed') : null,
    exitCode: null,
    status: call.isError === true ? 'failed' : isUnfinished ? 'unfinished' : 'done',
    endedAt: base.time,
    changes: [],
    request: null,
    subagent: null,
    children: [],
  };
}

/** Describes what could not be read, without duplicates. */
export function problemsText(problems: OperationResponse<'listHistory'>['problems']): string[] {
  return [...new Set(problems.map(({ agent, path, problem }) => `${agent ?? 'unknown agent'}: ${problem} (${path})`))];
}
