import type { RunError, RunResult, TokenUsage } from '@agent-mux/core';
import type { LaunchResult } from '../../events.ts';
import type { Session } from '../../schemas/session.ts';

export interface Known {
  runId: string;
  agent: string;
  mode: string;
  text: string;
  nativeId: string | null;
  session: Session | undefined;
  tags: readonly string[];
  startedAt: number;
}

/** A launch that was ended by nobody's word has no last line: this is what is known of it. */
export function resultWithoutWord(
  known: Known,
  exitReason: RunResult['exitReason'],
  error: RunError | null,
): RunResult {
  const { runId, agent, mode, text, nativeId, session, tags, startedAt } = known;
  return {
    runId,
    agent,
    mode,
    text,
    sessionId: nativeId,
    model: session?.model ?? null,
    usage: (session?.usage ?? null) satisfies TokenUsage | null,
    costUsd: session?.costUsd ?? null,
    costSource: session?.costSource ?? null,
    serviceTier: null,
    quota: null,
    durationMs: Math.round(performance.now() - startedAt),
    exitReason,
    exitCode: null,
    error,
    turnCount: session?.turns ?? 0,
    tags,
  };
}

/** The last line of a launch without what only a line has. */
export function resultOf(line: LaunchResult): RunResult {
  const { type: _type, seq: _seq, timestamp: _timestamp, turnIndex: _turnIndex, ...result } = line;
  return result;
}
