import type { ModelMessage } from './request.ts';

/** The system messages before any other are the system prompt; a later one keeps its position. */
export function withLeadingSystem(
  instructions: string,
  messages: readonly ModelMessage[],
): { system: string; messages: ModelMessage[] } {
  const firstOther = messages.findIndex((message) => message.role !== 'system');
  const leading = messages.slice(0, firstOther === -1 ? messages.length : firstOther);
  const system = [instructions, ...leading.map((message) => message.text)].filter((text) => text !== '').join('\n\n');
  return { system, messages: messages.slice(leading.length) };
}
