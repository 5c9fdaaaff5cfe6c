import { ok } from 'node:assert/strict';
import { type EventBody, findEventFault, toJson } from '@agent-mux/core';

/** Throws for the first that is no event of the contract, or has a field that the contract does not know. */
export function assertEvents(events: readonly unknown[]): void {
  for (const each of events) {
    const fault = findEventFault(each, { strict: true });
    ok(fault === undefined, `${fault}: ${shorten(each)}`);
  }
}

/** What the agent itself said in good order has ids to refer to: a result without one belongs to no call. */
export function assertIds(events: readonly EventBody[]): void {
  for (const each of events) {
    for (const name of ['toolCallId', 'requestId', 'subagentId']) {
      const id: unknown = Reflect.get(each, name);
      ok(id === undefined || id !== '', `an empty ${name} in ${shorten(each)}`);
    }
  }
}

function shorten(value: unknown): string {
  const json = toJson(value) ?? String(value);
  return json.length > 1000 ? `${json.slice(0, 1000)}...` : json;
}
