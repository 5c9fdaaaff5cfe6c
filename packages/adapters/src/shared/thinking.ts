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
