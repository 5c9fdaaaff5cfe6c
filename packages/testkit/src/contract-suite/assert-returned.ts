import { ok } from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { isRecord, isThenable, messageOf } from '@agent-mux/core';

/** Long enough for a look at files of this machine, however busy it is. */
const SETTLE_MS = 5_000;

/** A value as a failure shows it: what kind of thing it is, and its beginning. */
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

/** As `ok`, for what is looked at very often: what it says is only made up when it is said. */
export function must(holds: boolean, problem: () => string): asserts holds {
  if (!holds) ok(false, problem());
}

/** Throws where a value must be there at once and a promise is given, whose failure is then nobody's but this check's. */
export function assertAtOnce(value: unknown, what: string): void {
  if (!isThenable(value)) return;
  Promise.resolve(value).catch(() => {});
  ok(false, `${what} must return its value at once, and gave a promise`);
}

/** The value of a method that may take its time, but not for ever. A plain value is none that anybody awaits: it passes. */
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

/** Throws unless it is an object that is no list and no promise. */
export function assertRecord(value: unknown, what: string): asserts value is Record<string, unknown> {
  assertAtOnce(value, what);
  must(isRecord(value), () => `${what} must return an object, and gave ${describeValue(value)}`);
}
