import type { Session } from '@agent-mux/api';
import type { SessionChange } from '../store/store.ts';
import { activityBy, type HookMemory } from './hook-memory.ts';
import { lastLineOf } from './last-line.ts';

/**
 * `add`: the daemon's own session, or an ended one. Its stream and its commands decide what it does; a report only adds a missing
 * title, summary or agent session id. `hand`: another process runs it, and only its reports say what it does.
 */
export type HookWeight = 'add' | 'hand';

/** So much of an answer is its summary. */
export const SUMMARY_CHARS = 500;

interface Around {
  weight: HookWeight;
  agentSessionId: string | undefined;
  now: number;
  isSeen: boolean;
  /** Prompts that this call has told. */
  prompts: number;
}

/** What the row of a session becomes by what its hooks have told. */
export function changeBy(session: Session, memory: HookMemory, around: Around): SessionChange {
  const { weight, agentSessionId, now } = around;
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
  const { activity, since } = activityBy(memory, around);
  const line = memory.summary && lastLineOf(memory.summary.value);
  return {
    ...facts,
    lastActiveAt,
    ...(activity === session.activity ? {} : { activity, activitySince: Math.floor(since) }),
    isTerminated: activity === 'exited',
    origin: session.origin === 'terminal' ? 'terminal' : 'hand',
    parked: false,
    turns: session.turns + around.prompts,
    ...(memory.model === null ? {} : { model: memory.model.value }),
    ...(line ? { lastLine: line } : {}),
    ...(activity === 'exited' ? {} : { error: null }),
  };
}
