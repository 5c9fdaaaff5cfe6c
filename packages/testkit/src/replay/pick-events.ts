import type { EventBody, EventType } from '@agent-mux/core';

/** The events of these types, in their order. */
export function only<T extends EventType>(
  events: readonly EventBody[],
  ...types: T[]
): Extract<EventBody, { type: T }>[] {
  return events.filter((event): event is Extract<EventBody, { type: T }> => types.some((type) => type === event.type));
}

/** Output of the agent itself, without its subagents. */
export function textOf(events: readonly EventBody[]): string {
  return only(events, 'text_delta')
    .filter((event) => event.parentToolCallId === undefined)
    .map(({ delta }) => delta)
    .join('');
}

/** The types in order, consecutive deltas of one kind as one; without the ignored ones. */
export function shapeOf(events: readonly EventBody[], ...without: EventType[]): EventType[] {
  return events
    .map(({ type }) => type)
    .filter((type) => !without.includes(type))
    .filter((type, i, all) => !(type.endsWith('_delta') && all[i - 1] === type));
}
