import type { EventBody } from '@agent-mux/core';

/** Of a decoder whose agent tells thoughts in pieces, and not where one begins. */
interface ThinkingState {
  thinking: boolean;
}

export function tellThinking(delta: string, state: ThinkingState): EventBody[] {
  const begun: EventBody[] = state.thinking ? [] : [{ type: 'thinking_start' }];
  state.thinking = true;
  return [...begun, { type: 'thinking_delta', delta }];
}

export function closeThinking(state: ThinkingState): EventBody[] {
  if (!state.thinking) return [];
  state.thinking = false;
  return [{ type: 'thinking_stop' }];
}

/** The model has no such effort, and its agent would leave it out without a word. */
export function effortRefused(effort: string, model: string, known: readonly string[]): EventBody {
  const efforts = known.length > 0 ? `it has ${known.join(', ')}` : 'it has none';
  const message = `the model ${model} has no thinking effort "${effort}": ${efforts} (option thinkingEffort)`;
  return { type: 'error', code: 'CAPABILITY_ERROR', message, recoverable: false };
}

/** Nothing that the agent reports says whether the model takes it. */
export function effortUnchecked(effort: string, why: string): EventBody {
  const message = `thinking effort "${effort}" may have no effect: ${why}`;
  return { type: 'debug', level: 'warn', code: 'thinking_effort_unchecked', message };
}

export function effortChanged(effort: string, used: string): EventBody {
  const message = `the agent uses thinking effort "${used}" where "${effort}" was asked for: its model has no other`;
  return { type: 'debug', level: 'warn', code: 'thinking_effort_changed', message };
}
