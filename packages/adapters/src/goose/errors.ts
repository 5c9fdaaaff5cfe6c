import type { EventBody } from '@agent-mux/core';
import {
  asAuthError,
  asContextExceeded,
  asError,
  asRateLimit,
  type FailureRule,
  nameFailure,
} from '../shared/failures.ts';
import { LIMIT_PATTERNS } from '../shared/limit-patterns.ts';

/**
 * Wrappers of goose 1.34.0 around an error that it prints as model output, after which it ends its turn as completed.
 * Whole sentences: the model may report an error too, and ask its user to try again.
 */
const PROSE_ERRORS: readonly RegExp[] = [
  /^Ran into this error: ([\s\S]+?)\.?\n\nPlease retry if you think this is a transient or recoverable error\.$/,
  /^Ran into this error trying to compact: ([\s\S]+?)\.?\n\nPlease try again or create a new session$/,
  /^([\s\S]+?)\n\nPlease resend your message to try again\.$/,
  /^([\s\S]+?)\n\nPlease (?:check|add) [^\n]+, then resend your message to continue\.$/,
  /^Unable to continue: (Context limit still exceeded after compaction\.[\s\S]*)/,
];

/** The final message of a run that has used up its turns. */
export const MAX_TURNS_PROSE = "I've reached the maximum number of actions I can do without user input.";

/** A whole message of goose itself, or null for one of the model. */
export function readGooseProse(said: string): EventBody[] | null {
  const words = said.trim();
  for (const form of PROSE_ERRORS) {
    const error = form.exec(words)?.[1];
    if (error !== undefined) return [readGooseError(error.trim())];
  }
  return null;
}

const RULES: readonly FailureRule[] = [
  {
    text: /^Authentication error|\b401\b|\b403\b|API key/i,
    event: asAuthError('Run `goose configure`, or set the key of the provider.'),
  },
  {
    text: LIMIT_PATTERNS,
    event: asRateLimit,
  },
  {
    text: /^Context (?:length|limit)|context.{0,20}(?:length|window|limit)|too long|maximum context/i,
    event: asContextExceeded,
  },
  { text: /session not found|no such session/i, event: asError('SESSION_NOT_FOUND') },
  { text: /^Server error|\b5\d\d\b/i, event: asError('SERVER_ERROR') },
  {
    text: /^Network error|stream decode|connect|timed out|decoding response body/i,
    event: asError('NETWORK_ERROR'),
  },
];

export function readGooseError(message: string): EventBody {
  return nameFailure({ text: message }, RULES);
}
