import type { SessionMessage, SessionPart, SessionToolCall } from '../contract/sessions.ts';

/** A piece of a message that can be shown as it is. */
export type ShownPart = { type: 'text' | 'thinking'; text: string } | { type: 'tool'; call: SessionToolCall };

/** How a message without `parts` is read. */
const PLAIN_ORDER = ['thinking', 'text', 'tool'] as const;

/** Whether `thinking`, `text` and `toolCalls` of the message already say in which order the parts came. */
export function isPlainOrder(parts: readonly SessionPart[]): boolean {
  return parts.every(({ type }, at) => {
    const before = parts[at - 1]?.type;
    if (before === undefined) return true;
    return PLAIN_ORDER.indexOf(before) < PLAIN_ORDER.indexOf(type) || (before === 'tool' && type === 'tool');
  });
}

/** What a message has, in its order. A call that no part names stands at the end. */
export function orderedParts({ text, thinking = '', toolCalls = [], parts }: SessionMessage): ShownPart[] {
  const left = [...toolCalls];
  const taken = (id: string): SessionToolCall[] => {
    const at = left.findIndex(({ toolCallId }) => toolCallId === id);
    return at === -1 ? [] : left.splice(at, 1);
  };
  const plain: readonly SessionPart[] = [
    { type: 'thinking', text: thinking },
    { type: 'text', text },
  ];
  const named = (parts ?? plain).flatMap((part): ShownPart[] =>
    part.type === 'tool' ? taken(part.toolCallId).map((call) => ({ type: 'tool', call })) : [part],
  );
  return [...named, ...left.map((call): ShownPart => ({ type: 'tool', call }))];
}
