import type { AnswerOf, StoredSessionSummary } from '@agent-mux/api/browser';
import type { Item, ToolItem } from '../../data/items.ts';
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

/** Where a stored session is read. */
export function addressOf({ agent, sessionId }: Pick<StoredSessionSummary, 'agent' | 'sessionId'>): string {
  return `/history/${encodeURIComponent(agent)}/${encodeURIComponent(sessionId)}`;
}

/** The messages of a stored session as the items that a live one has, so that the same components draw both. */
export function itemsOf(messages: readonly StoredMessage[]): Item[] {
  const items: Item[] = [];
  for (const [at, message] of messages.entries()) {
    const time = message.timestamp ?? 0;
    const base = (part: string) => ({ key: `${at}-${part}`, seq: at, time });
    if (message.role === 'user') {
      if (message.text.trim() !== '')
        items.push({
          ...base('user'),
          kind: 'user',
          messageId: message.id ?? '',
          text: message.text,
          attachments: [],
          delivery: 'turn',
        });
    } else if (message.role === 'system') {
      if (message.text.trim() !== '') items.push({ ...base('note'), kind: 'note', text: shorten(message.text, 400) });
    } else {
      if (message.thinking !== undefined && message.thinking.trim() !== '')
        items.push({ ...base('thinking'), kind: 'thinking', text: message.thinking, isOpen: false, endedAt: time });
      if (message.text.trim() !== '') items.push({ ...base('text'), kind: 'text', text: message.text, isOpen: false });
    }
    for (const [index, call] of (message.toolCalls ?? []).entries()) items.push(toolOf(call, base(`tool-${index}`)));
  }
  return items;
}

type Call = NonNullable<StoredMessage['toolCalls']>[number];

function toolOf(call: Call, base: Pick<ToolItem, 'key' | 'seq' | 'time'>): ToolItem {
  const isUnfinished = call.output === undefined && call.isError !== true;
  return {
    ...base,
    kind: 'tool',
    toolCallId: call.toolCallId,
    name: call.toolName,
    server: null,
    // What kind it was is not stored; its name says it.
    toolKind: 'other',
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
