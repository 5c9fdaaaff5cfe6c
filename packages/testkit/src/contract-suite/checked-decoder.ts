import { type AgentAdapter, AgentMuxError, type EventBody } from '@agent-mux/core';
import { assertAtOnce, describeValue, must } from './assert-returned.ts';

/** More events than any message of an agent gives; a replayed history comes in many messages. */
const MAX_EVENTS = 2_000;
/** A decoder emits the content of a line, perhaps twice (as a delta and as a whole), and a sentence that it adds. */
const MAX_TEXT_PER_CHARACTER = 20;
const MAX_TEXT = 200_000;

export type Decoder = Pick<AgentAdapter, 'agent' | 'parseEvent' | 'parseEnd'>;

/** The adapter's decoder, wrapped: throws if it returns anything but events. */
export function checkDecoder(adapter: AgentAdapter): Decoder {
  return {
    agent: adapter.agent,
    parseEvent: (line, context) => {
      const decoded = callMember('parseEvent', line, () => adapter.parseEvent(line, context));
      if (decoded !== null) assertEventList([decoded].flat(), 'parseEvent', line.length, decoded);
      return decoded;
    },
    ...(adapter.parseEnd && {
      parseEnd: (context, exit) => {
        const decoded = callMember('parseEnd', exit, () => (adapter.parseEnd ? adapter.parseEnd(context, exit) : []));
        must(Array.isArray(decoded), () => `parseEnd must return a list of events, and gave ${describeValue(decoded)}`);
        assertEventList(decoded, 'parseEnd', MAX_TEXT, decoded);
        return decoded;
      },
    }),
  };
}

/** A list of objects with a type, and no more than the message can contain. */
export function assertEventList(
  events: readonly unknown[],
  what: string,
  heard: number,
  options: unknown = events,
): asserts events is EventBody[] {
  must(
    events.length <= MAX_EVENTS,
    () => `${what} gave ${events.length} events for one message of ${heard} characters`,
  );
  for (const event of events) {
    assertAtOnce(event, what);
    const typed = typeof event === 'object' && event !== null && 'type' in event && typeof event.type === 'string';
    must(typed, () => `${what} must give events, null where there is none, and gave ${describeValue(options)}`);
  }
  let text = 0;
  for (const event of events) for (const value of Object.values(event as object)) text += lengthOf(value);
  const most = MAX_TEXT + heard * MAX_TEXT_PER_CHARACTER;
  must(text <= most, () => `${what} gave ${text} characters of text for one message of ${heard}`);
  const end = events.findIndex((event) => (event as EventBody).type === 'turn_end');
  const late = end === -1 ? undefined : events.slice(end).find((event) => CONTENT.has((event as EventBody).type));
  must(late === undefined, () => `${what} gave ${describeValue(late)} after the turn_end of the same message`);
}

/** Events of a turn, which cannot follow its end in the same message. */
const CONTENT: ReadonlySet<string> = new Set(['text_delta', 'thinking_delta', 'tool_call_start', 'tool_call_ready']);

/** Calls a member that must not throw. A refusal passes: the check decides whether it is allowed. */
export function callMember<T>(what: string, heard: unknown, call: () => T): T {
  let value: T;
  try {
    value = call();
  } catch (error) {
    if (error instanceof AgentMuxError) throw error;
    throw new Error(`${what} threw ${error}, for ${describeValue(heard)}`, { cause: error });
  }
  assertAtOnce(value, what);
  return value;
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0;
}
