import type { EventBody } from '@agent-mux/core';
import { decodeFailure } from '../acp/failure.ts';

/** A failure that an agent reports only as text. */
export function failureFromText(message: string | undefined): EventBody[] {
  return decodeFailure({ code: null, message: message ?? 'the agent reported a failure', data: undefined });
}
