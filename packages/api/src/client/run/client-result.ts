import type { RunError, RunResult, TokenUsage } from '@agent-mux/core';
import type { RunResultEvent } from '../../events.ts';
import type { Session } from '../../schemas/session.ts';

export interface KnownResult {
  runId: string;
  agent: string;
  mode: string;
  text: string;
  agentSessionId: string | null;
  session: Session | undefined;
  tags: readonly string[];
  startedAt: number;
}

/** Result of a launch that ended without a last line, from what is known here. */
export function resultWithoutReply(
  known: KnownResult,
  exitReason: RunResult['exitReason'],
  error: RunError | null,
): RunResult {
  const { runId, agent, mode, text, agentSessionId, session, tags, startedAt } = known;
  return {
    runId,
    agent,
    mode,
    text,
    sessionId: agentSessionId,
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

/** The last line of a launch without its envelope. */
export function resultOf(line: RunResultEvent): RunResult {
  const { type: _type, seq: _seq, timestamp: _timestamp, turnIndex: _turnIndex, ...result } = line;
  return result;
}
