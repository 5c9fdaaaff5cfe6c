import type { ChannelSlot, ResolvedRunOptions } from '@agent-mux/core';
import { PROTOCOL_VERSION, type ToAdapter } from './protocol.ts';

/** One session within the adapter's process. Plain data. */
export interface ExternalState {
  sessionId: string;
  start: Extract<ToAdapter, { type: 'session.start' }>;
  thinking: boolean;
  /** Ids of permission requests and questions without an answer. */
  openPermissions: string[];
  openQuestions: string[];
  /** Tool calls without a result: name by id. */
  openTools: Record<string, string>;
  /** A fatal error came in this turn. */
  failed: boolean;
  stopping: boolean;
}

export function openState(options: ResolvedRunOptions, slot?: ChannelSlot): ExternalState {
  const sessionId = slot?.channel ?? options.runId;
  return {
    sessionId,
    start: {
      type: 'session.start',
      session_id: sessionId,
      protocol: PROTOCOL_VERSION,
      cwd: options.cwd,
      approval_mode: options.approvalMode,
      model: options.model,
      resume: options.sessionId,
      fork: options.forkSessionId,
      no_session: options.noSession,
    },
    thinking: false,
    openPermissions: [],
    openQuestions: [],
    openTools: {},
    failed: false,
    stopping: false,
  };
}

/** Removes the id; false if it was not there, so that nothing is answered twice. */
export function removeOpen(open: string[], id: string): boolean {
  const at = open.indexOf(id);
  if (at < 0) return false;
  open.splice(at, 1);
  return true;
}
