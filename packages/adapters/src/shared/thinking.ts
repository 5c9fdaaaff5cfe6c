import type { EventBody } from '@agent-mux/core';

/** State of a decoder whose agent streams thinking without a start marker. */
interface ThinkingState {
  thinking: boolean;
}

export function thinkingEvents(delta: string, state: ThinkingState): EventBody[] {
  const started: EventBody[] = state.thinking ? [] : [{ type: 'thinking_start' }];
  state.thinking = true;
  return [...started, { type: 'thinking_delta', delta }];
}

export function closeThinking(state: ThinkingState): EventBody[] {
  if (!state.thinking) return [];
  state.thinking = false;
  return [{ type: 'thinking_stop' }];
}

/** The model does not support this effort, and its agent would silently ignore it. */
export function effortRefused(effort: string, model: string, known: readonly string[]): EventBody {
  const efforts = known.length > 0 ? `it has ${known.join(', ')}` : 'it has none';
  const message = `the model ${model} has no thinking effort "${effort}": ${efforts} (option thinkingEffort)`;
  return { type: 'error', code: 'CAPABILITY_ERROR', message, recoverable: false };
}

/** The agent does not report whether the model supports it. */
export function effortUnchecked(effort: string, why: string): EventBody {
  const message = `thinking effort "${effort}" may have no effect: ${why}`;
  return { type: 'debug', level: 'warn', code: 'thinking_effort_unchecked', message };
}

export function effortChanged(effort: string, used: string): EventBody {
  const message = `the agent uses thinking effort "${used}" instead of "${effort}": its model has no other`;
  return { type: 'debug', level: 'warn', code: 'thinking_effort_changed', message };
}
