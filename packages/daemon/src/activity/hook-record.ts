import type { Activity } from '@agent-mux/api';
import type { ProcessIdentity } from '@agent-mux/core';

/** What one hook call reported, and when it was called. */
export interface HookFact {
  /** Identifies the call; orders two calls with the same timestamp. */
  id: string;
  at: number;
  state?: Activity;
  title?: string;
  summary?: string;
  model?: string;
  /** The agent's own process. */
  process?: ProcessIdentity;
}

interface HookValue<Value> {
  value: Value;
  at: number;
  id: string;
}

/**
 * Everything the hooks of a session reported. It depends only on the times of the calls, never on the order of
 * delivery: the same calls produce the same record in any order, with any number of duplicates. A lost report is
 * missing, and nothing else differs.
 */
export interface HookRecord {
  state: HookValue<Activity> | null;
  /** Taken from the first prompt. */
  title: HookValue<string> | null;
  summary: HookValue<string> | null;
  model: HookValue<string> | null;
  process: HookValue<ProcessIdentity> | null;
  /** Time of the last call that did not report the exit. */
  aliveAt: number;
}

export const EMPTY_HOOK_RECORD: HookRecord = Object.freeze({
  state: null,
  title: null,
  summary: null,
  model: null,
  process: null,
  aliveAt: 0,
});

/** A running agent calls a hook at each step; the longest steps take less than this. */
export const HOOK_STALE_MS = 15 * 60_000;

export function addHookFact(memory: HookRecord, fact: HookFact): HookRecord {
  return {
    state: laterOf(memory.state, hookValue(fact, fact.state)),
    title: earlierOf(memory.title, hookValue(fact, fact.title)),
    summary: laterOf(memory.summary, hookValue(fact, fact.summary)),
    model: laterOf(memory.model, hookValue(fact, fact.model)),
    process: laterOf(memory.process, hookValue(fact, fact.process)),
    aliveAt: fact.state === 'exited' ? memory.aliveAt : Math.max(memory.aliveAt, fact.at),
  };
}

/**
 * The activity reported by the last hook call. A lost turn end is corrected by the next call, or by the exit of the
 * process, which is recorded as a fact. Where the process cannot be observed, it is corrected after a timeout.
 */
export function activityFromHooks(
  { state, aliveAt }: HookRecord,
  { now, isSeen }: { now: number; isSeen: boolean },
): { activity: Activity; since: number } {
  if (state === null) return { activity: 'idle', since: aliveAt };
  // A call after the exit means that the session was started again.
  if (state.value === 'exited' && aliveAt > state.at) return { activity: 'idle', since: aliveAt };
  if (state.value === 'active' && !isSeen && now - aliveAt > HOOK_STALE_MS)
    return { activity: 'no_signal', since: aliveAt + HOOK_STALE_MS };
  return { activity: state.value, since: state.at };
}

/** Clamps timestamps to now, so that a clock that was set back does not make the session ignore newer calls. */
export function dropFutureFacts(memory: HookRecord, now: number): HookRecord {
  const clamp = <Value>(one: HookValue<Value> | null) => one && (one.at > now ? { ...one, at: now } : one);
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

function hookValue<Value>({ at, id }: HookFact, value: Value | undefined): HookValue<Value> | null {
  return value === undefined ? null : { value, at, id };
}

function laterOf<Value>(a: HookValue<Value> | null, b: HookValue<Value> | null): HookValue<Value> | null {
  return a && b ? (isBefore(a, b) ? b : a) : (a ?? b);
}

function earlierOf<Value>(a: HookValue<Value> | null, b: HookValue<Value> | null): HookValue<Value> | null {
  return a && b ? (isBefore(b, a) ? b : a) : (a ?? b);
}

function isBefore(a: HookValue<unknown>, b: HookValue<unknown>): boolean {
  return a.at === b.at ? a.id < b.id : a.at < b.at;
}
