import { type ErrorCode, type EventBody, isTransient } from '@agent-mux/core';

/** A failure of the agent. Whether the same may succeed when it is tried again, its kind says. */
export function failed(code: ErrorCode, message: string): EventBody {
  return { type: 'error', code, message, recoverable: isTransient(code) };
}
