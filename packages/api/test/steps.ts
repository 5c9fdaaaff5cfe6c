import type { AgentEvent, EventBody, EventOf, EventType, RunHandle } from '@agent-mux/core';
import type { Step } from '@agent-mux/testkit';

export const event = (body: EventBody): Step => ({ do: 'event', event: body });
export const say = (delta: string): Step => event({ type: 'text_delta', delta });
export const turnEnd = event({ type: 'turn_end', status: 'completed' });
export const live = (...turns: Step[][]): Step[] => [{ do: 'live', turns }];

/** The next event of that type. */
export function next<T extends EventType>(handle: RunHandle, type: T): Promise<EventOf<T>> {
  return new Promise((resolve) => handle.once(type, resolve));
}

export async function eventsOf(source: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const each of source) events.push(each);
  return events;
}

/** Resolves once the number stops changing. */
export async function steady(value: () => number, forMs = 300): Promise<number> {
  for (let last = value(), since = performance.now(); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (value() !== last) [last, since] = [value(), performance.now()];
    else if (performance.now() - since > forMs) return last;
  }
}

/** The numbers a script has printed. */
export function deltasOf(events: readonly AgentEvent[]): number[] {
  return events.flatMap((each) => (each.type === 'text_delta' ? [Number.parseInt(each.delta, 10)] : []));
}

/** Their seq numbers are those of the session: without its additional events they have gaps. */
export function renumber(events: readonly AgentEvent[]): AgentEvent[] {
  return events.map((each, seq) => ({ ...each, seq }));
}
