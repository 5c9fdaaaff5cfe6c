import type { Session } from '@agent-mux/api';
import type { SessionChange } from '../store/store.ts';
import { activityFromHooks, type HookRecord } from './hook-record.ts';
import { lastLineOf } from './status-text.ts';

/**
 * `add`: the session belongs to the daemon or has ended. Its event stream and commands decide its activity; a report
 * only adds a missing title, summary or agent session id. `unmanaged`: another process runs it, and only its reports
 * are known.
 */
export type HookWeight = 'add' | 'unmanaged';

/** Maximum number of characters of an answer used as the summary. */
export const SUMMARY_CHARS = 500;

interface HookChangeContext {
  weight: HookWeight;
  agentSessionId: string | undefined;
  now: number;
  isSeen: boolean;
  /** Number of prompts reported by this hook call. */
  prompts: number;
}

/** Derives the change of a session row from what its hooks reported. */
export function changeFromHook(session: Session, memory: HookRecord, context: HookChangeContext): SessionChange {
  const { weight, agentSessionId: reported, now } = context;
  const agentSessionId = session.agentSessionId === null ? reported : undefined;
  const isUserTitle = session.metadata.titleBy === 'user';
  const mayName = session.title === null || (weight === 'unmanaged' && !isUserTitle && session.launch === 0);
  const title = mayName ? memory.title?.value : undefined;
  const summary = weight !== 'add' || session.summary === null ? memory.summary?.value : undefined;
  const facts: SessionChange = {
    ...(agentSessionId === undefined ? {} : { agentSessionId }),
    ...(title === undefined ? {} : { title }),
    ...(summary === undefined ? {} : { summary }),
    addMetadata: {
      ...(reported === undefined ? {} : { agentSessionId: session.agentSessionId ?? reported }),
      ...(title === undefined ? {} : { title }),
      ...(summary === undefined ? {} : { summary }),
    },
    updatedAt: now,
  };
  if (weight === 'add') return facts;
  const lastActiveAt = Math.max(session.lastActiveAt, Math.floor(memory.aliveAt));
  const { activity, since } = activityFromHooks(memory, context);
  const line = memory.summary && lastLineOf(memory.summary.value);
  return {
    ...facts,
    lastActiveAt,
    ...(activity === session.activity ? {} : { activity, activitySince: Math.floor(since) }),
    isTerminated: activity === 'exited',
    origin: session.origin === 'terminal' ? 'terminal' : 'unmanaged',
    parked: false,
    turns: session.turns + context.prompts,
    ...(memory.model === null ? {} : { model: memory.model.value }),
    ...(line ? { statusText: line } : {}),
    ...(activity === 'exited' ? {} : { error: null }),
  };
}
