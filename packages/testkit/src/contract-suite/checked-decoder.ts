import { type AgentAdapter, AgentMuxError, type EventBody } from '@agent-mux/core';
import { assertAtOnce, describeValue, must } from './assert-returned.ts';

/** More than any message of an agent comes to; a history that is replayed comes in many. */
const MOST_EVENTS = 2_000;
/** A decoder tells what a line says, perhaps twice (as a delta and as a whole), and a sentence of its own. */
const MOST_TEXT_PER_CHARACTER = 20;
const MOST_TEXT = 200_000;

export type Decoder = Pick<AgentAdapter, 'agent' | 'parseEvent' | 'parseEnd'>;

/** The adapter's decoder, which throws where the adapter gives anything but events. */
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
        assertEventList(decoded, 'parseEnd', MOST_TEXT, decoded);
        return decoded;
      },
    }),
  };
}

/** A list of objects that have a type, and no more of them than what was heard can hold. */
export function assertEventList(
  events: readonly unknown[],
  what: string,
  heard: number,
  given: unknown = events,
): asserts events is EventBody[] {
  must(
    events.length <= MOST_EVENTS,
    () => `${what} gave ${events.length} events for one message of ${heard} characters`,
  );
  for (const event of events) {
    assertAtOnce(event, what);
    const typed = typeof event === 'object' && event !== null && 'type' in event && typeof event.type === 'string';
    must(typed, () => `${what} must give events, null where there is none, and gave ${describeValue(given)}`);
  }
  let text = 0;
  for (const event of events) for (const value of Object.values(event as object)) text += lengthOf(value);
  const most = MOST_TEXT + heard * MOST_TEXT_PER_CHARACTER;
  must(text <= most, () => `${what} gave ${text} characters of text for one message of ${heard}`);
  const end = events.findIndex((event) => (event as EventBody).type === 'turn_end');
  const late = end === -1 ? undefined : events.slice(end).find((event) => CONTENT.has((event as EventBody).type));
  must(late === undefined, () => `${what} gave ${describeValue(late)} after the turn_end of the same message`);
}

/** What belongs to a turn and so can't follow its end in one breath. */
const CONTENT: ReadonlySet<string> = new Set(['text_delta', 'thinking_delta', 'tool_call_start', 'tool_call_ready']);

/** Calls a member that must not throw. A refusal of ours passes: whether it may be given is for the check to say. */
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
