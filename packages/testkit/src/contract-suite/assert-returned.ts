import { ok } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { isRecord, isThenable, messageOf } from '@agent-mux/core';

/** Long enough to check files of this machine, however busy it is. */
const SETTLE_MS = 5_000;

/** A value as a failure shows it: its kind and its start. */
export function describeValue(value: unknown): string {
  if (value instanceof Promise) return 'a promise';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'string' && value.length > 300) return `a string of ${value.length} characters`;
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    return `something that is not plain data (${messageOf(error)})`;
  }
  const text = json ?? String(value);
  return text.length > 300 ? `${text.slice(0, 300)}...` : text;
}

/** As `ok`, for frequent assertions: the message is built only on failure. */
export function must(holds: boolean, problem: () => string): asserts holds {
  if (!holds) ok(false, problem());
}

/** Throws if a value must be returned at once and a promise is given; handles the rejection of that promise. */
export function assertAtOnce(value: unknown, what: string): void {
  if (!isThenable(value)) return;
  Promise.resolve(value).catch(() => {});
  ok(false, `${what} must return its value at once, and gave a promise`);
}

/** The value of an asynchronous method within the limit. A plain value passes. */
export async function awaitWithin<T>(what: string, call: () => T | Promise<T>, limitMs = SETTLE_MS): Promise<T> {
  const over = new AbortController();
  const late = delay(limitMs, undefined, { signal: over.signal }).then(() => {
    throw new Error(`${what} has not settled within ${limitMs} ms`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([call(), late]);
  } finally {
    over.abort();
  }
}

/** Throws unless it is an object, not a list or a promise. */
export function assertRecord(value: unknown, what: string): asserts value is Record<string, unknown> {
  assertAtOnce(value, what);
  must(isRecord(value), () => `${what} must return an object, and gave ${describeValue(value)}`);
}
