import type { Session } from '@agent-mux/api';
import type { SessionChange } from '../store/store.ts';
import { activityBy, type HookFact, type HookMemory } from './hook-memory.ts';
import { lastLineOf } from './last-line.ts';

/**
 * `add`: a keeper holds it, or has held it when the hook was called: the stream is the truth, and only what it has not told is added.
 * `follow`: nothing else is known of it. `hand`: the same, and it lives in a process that somebody else has started.
 */
export type HookWeight = 'add' | 'follow' | 'hand';

/** So much of an answer is its summary. */
export const SUMMARY_CHARS = 500;

interface Around {
  weight: HookWeight;
  /** What this call has told; its place in the memory may be before others. */
  fact: HookFact;
  agentSessionId: string | undefined;
  now: number;
  isSeen: boolean;
  /** Prompts that this call has told. */
  prompts: number;
}

/** What the row of a session becomes by what its hooks have told. */
export function changeBy(session: Session, memory: HookMemory, around: Around): SessionChange {
  const { weight, fact, agentSessionId, now } = around;
  const nativeId = session.nativeId === null && agentSessionId !== undefined ? agentSessionId : undefined;
  const isGiven = session.metadata.titleBy === 'user';
  const mayName = session.title === null || (weight === 'hand' && !isGiven && session.launch === 0);
  const title = mayName ? memory.title?.value : undefined;
  const summary = weight !== 'add' || session.summary === null ? memory.summary?.value : undefined;
  const facts: SessionChange = {
    ...(nativeId === undefined ? {} : { nativeId }),
    ...(title === undefined ? {} : { title }),
    ...(summary === undefined ? {} : { summary }),
    addMetadata: {
      ...(agentSessionId === undefined ? {} : { agentSessionId: session.nativeId ?? agentSessionId }),
      ...(title === undefined ? {} : { title }),
      ...(summary === undefined ? {} : { summary }),
    },
    updatedAt: now,
  };
  if (weight === 'add') return facts;
  const lastActiveAt = Math.max(session.lastActiveAt, Math.floor(memory.aliveAt));
  // Its row may know better by now than a state that was told before.
  if (weight === 'follow' && memory.state?.id !== fact.id) return { ...facts, lastActiveAt };
  const { activity, since } = activityBy(memory, around);
  const state: SessionChange = {
    lastActiveAt,
    ...(activity === session.activity ? {} : { activity, activitySince: Math.floor(since) }),
    isTerminated: activity === 'exited',
  };
  if (weight === 'follow') return { ...facts, ...state };
  const line = memory.summary && lastLineOf(memory.summary.value);
  return {
    ...facts,
    ...state,
    origin: session.origin === 'terminal' ? 'terminal' : 'hand',
    parked: false,
    turns: session.turns + around.prompts,
    ...(memory.model === null ? {} : { model: memory.model.value }),
    ...(line ? { lastLine: line } : {}),
    ...(activity === 'exited' ? {} : { error: null }),
  };
}
