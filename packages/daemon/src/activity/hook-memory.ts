import type { Activity } from '@agent-mux/api';
import type { ProcessIdentity } from '@agent-mux/core';

/** What one call of a hook told, and when it was called. */
export interface HookFact {
  /** The same for the same call; decides between two calls of one moment. */
  id: string;
  at: number;
  state?: Activity;
  title?: string;
  summary?: string;
  model?: string;
  /** The agent's own process. */
  process?: ProcessIdentity;
}

interface Told<Value> {
  value: Value;
  at: number;
  id: string;
}

/**
 * What is known of a session by its hooks. It is made of what was called first and last, never of what came first or last: the
 * same calls give the same memory in any order, however often each of them comes. What got lost is missing in it, and nothing else
 * is different.
 */
export interface HookMemory {
  state: Told<Activity> | null;
  /** The first prompt names a session. */
  title: Told<string> | null;
  summary: Told<string> | null;
  model: Told<string> | null;
  process: Told<ProcessIdentity> | null;
  /** Of the last call that was no end. */
  aliveAt: number;
}

export const NOTHING_HEARD: HookMemory = Object.freeze({
  state: null,
  title: null,
  summary: null,
  model: null,
  process: null,
  aliveAt: 0,
});

/** An agent that is at work says something with each of its steps; the longest of them take less. */
export const SILENCE_MS = 15 * 60_000;

export function addFact(memory: HookMemory, fact: HookFact): HookMemory {
  return {
    state: laterOf(memory.state, told(fact, fact.state)),
    title: earlierOf(memory.title, told(fact, fact.title)),
    summary: laterOf(memory.summary, told(fact, fact.summary)),
    model: laterOf(memory.model, told(fact, fact.model)),
    process: laterOf(memory.process, told(fact, fact.process)),
    aliveAt: fact.state === 'exited' ? memory.aliveAt : Math.max(memory.aliveAt, fact.at),
  };
}

/**
 * What the session is doing, as far as its hooks tell: what the last call said. A turn whose end got lost is healed by the next call,
 * or by the end of the process, which is told as a fact of its own; where that cannot be seen, by silence.
 */
export function activityBy(
  { state, aliveAt }: HookMemory,
  { now, isSeen }: { now: number; isSeen: boolean },
): { activity: Activity; since: number } {
  if (state === null) return { activity: 'idle', since: aliveAt };
  // Whoever calls after the end has been started again.
  if (state.value === 'exited' && aliveAt > state.at) return { activity: 'idle', since: aliveAt };
  if (state.value === 'active' && !isSeen && now - aliveAt > SILENCE_MS)
    return { activity: 'no_signal', since: aliveAt + SILENCE_MS };
  return { activity: state.value, since: state.at };
}

/** A clock that was set back must not make a session deaf until it has caught up. */
export function withoutFuture(memory: HookMemory, now: number): HookMemory {
  const clamp = <Value>(one: Told<Value> | null) => one && (one.at > now ? { ...one, at: now } : one);
  const { state, title, summary, model, process, aliveAt } = memory;
  return {
    state: clamp(state),
    title: clamp(title),
    summary: clamp(summary),
    model: clamp(model),
    process: clamp(process),
    aliveAt: Math.min(aliveAt, now),
  };
}

function told<Value>({ at, id }: HookFact, value: Value | undefined): Told<Value> | null {
  return value === undefined ? null : { value, at, id };
}

function laterOf<Value>(a: Told<Value> | null, b: Told<Value> | null): Told<Value> | null {
  return a && b ? (isBefore(a, b) ? b : a) : (a ?? b);
}

function earlierOf<Value>(a: Told<Value> | null, b: Told<Value> | null): Told<Value> | null {
  return a && b ? (isBefore(b, a) ? b : a) : (a ?? b);
}

function isBefore(a: Told<unknown>, b: Told<unknown>): boolean {
  return a.at === b.at ? a.id < b.id : a.at < b.at;
}
