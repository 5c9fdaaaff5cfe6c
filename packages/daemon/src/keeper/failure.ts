import {
  type AgentEvent,
  AgentMuxError,
  type EventEnvelope,
  messageOf,
  type RunHandle,
  type RunResult,
} from '@agent-mux/core';
import type { LaunchSpec } from './protocol.ts';

/** The error event of a run that could not be started and therefore emitted no events. */
export function failureEvent(thrown: unknown, envelope: EventEnvelope): AgentEvent {
  return { type: 'error', ...errorOf(thrown), recoverable: false, ...envelope };
}

export function failureResult(
  thrown: unknown,
  { handle, launch, durationMs }: { handle: RunHandle; launch: LaunchSpec; durationMs: number },
): RunResult {
  const { tags } = launch.options;
  return {
    runId: launch.runId,
    agent: launch.agent,
    mode: handle.mode,
    text: '',
    sessionId: null,
    model: null,
    usage: null,
    costUsd: null,
    costSource: null,
    serviceTier: null,
    quota: null,
    durationMs,
    exitReason: 'failed',
    exitCode: null,
    error: errorOf(thrown),
    turnCount: 0,
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
  };
}

function errorOf(thrown: unknown) {
  const code = thrown instanceof AgentMuxError ? thrown.code : 'INTERNAL_ERROR';
  return { code, message: messageOf(thrown) };
}
