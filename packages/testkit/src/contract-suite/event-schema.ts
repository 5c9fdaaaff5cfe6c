import { ok } from 'node:assert/strict';
import { type EventBody, findEventIssue, toJson } from '@agent-mux/core';

/** Throws for the first value that is not an event of the contract, or has an unknown field. */
export function assertEvents(events: readonly unknown[]): void {
  for (const each of events) {
    const issue = findEventIssue(each, { strict: true });
    ok(issue === undefined, `${issue}: ${shorten(each)}`);
  }
}

/** Valid output of an agent has ids to refer to: a result without one belongs to no call. */
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
