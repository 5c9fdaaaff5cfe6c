import type { SessionMessage, SessionPart, SessionToolCall } from '../contract/sessions.ts';

/** A part of a message that can be displayed as it is. */
export type ShownPart = { type: 'text' | 'thinking'; text: string } | { type: 'tool'; call: SessionToolCall };

/** Default order of a message without `parts`. */
const PLAIN_ORDER = ['thinking', 'text', 'tool'] as const;

/** Whether `thinking`, `text` and `toolCalls` of the message already show the order of the parts. */
export function isPlainOrder(parts: readonly SessionPart[]): boolean {
  return parts.every(({ type }, at) => {
    const before = parts[at - 1]?.type;
    if (before === undefined) return true;
    return PLAIN_ORDER.indexOf(before) < PLAIN_ORDER.indexOf(type) || (before === 'tool' && type === 'tool');
  });
}

/** The parts of a message, in order. Calls that no part names come last. */
export function orderedParts({ text, thinking = '', toolCalls = [], parts }: SessionMessage): ShownPart[] {
  const left = [...toolCalls];
  const takeCalls = (id: string): SessionToolCall[] => {
    const at = left.findIndex(({ toolCallId }) => toolCallId === id);
    return at === -1 ? [] : left.splice(at, 1);
  };
  const plain: readonly SessionPart[] = [
    { type: 'thinking', text: thinking },
    { type: 'text', text },
  ];
  const named = (parts ?? plain).flatMap((part): ShownPart[] =>
    part.type === 'tool' ? takeCalls(part.toolCallId).map((call) => ({ type: 'tool', call })) : [part],
  );
  return [...named, ...left.map((call): ShownPart => ({ type: 'tool', call }))];
}
