import type { EventBody } from '@agent-mux/core';
import { failed } from '../shared/failed.ts';
import { LIMIT_WORDS } from '../shared/limit-words.ts';

/**
 * What goose 1.34.0 puts around an error that it tells in the voice of the model, having ended its turn as if all were
 * well. Whole sentences: the model may well tell of an error too, and ask its user to try again.
 */
const TOLD: readonly RegExp[] = [
  /^Ran into this error: ([\s\S]+?)\.?\n\nPlease retry if you think this is a transient or recoverable error\.$/,
  /^Ran into this error trying to compact: ([\s\S]+?)\.?\n\nPlease try again or create a new session$/,
  /^([\s\S]+?)\n\nPlease resend your message to try again\.$/,
  /^([\s\S]+?)\n\nPlease (?:check|add) [^\n]+, then resend your message to continue\.$/,
  /^Unable to continue: (Context limit still exceeded after compaction\.[\s\S]*)/,
];

/** The last words of a run that has used up its turns. */
export const MAX_TURNS_PROSE = "I've reached the maximum number of actions I can do without user input.";

/** A whole message of goose itself, or null for one of the model. */
export function readGooseProse(said: string): EventBody[] | null {
  const words = said.trim();
  for (const form of TOLD) {
    const told = form.exec(words)?.[1];
    if (told !== undefined) return [readGooseError(told.trim())];
  }
  return null;
}

const RULES: readonly { pattern: RegExp; event(message: string): EventBody }[] = [
  {
    pattern: /^Authentication error|\b401\b|\b403\b|API key/i,
    event: (message) => ({
      type: 'auth_error',
      message,
      guidance: 'Run `goose configure`, or set the key of the provider.',
    }),
  },
  {
    pattern: LIMIT_WORDS,
    event: (message) => ({ type: 'rate_limit_error', message, retrying: false }),
  },
  {
    pattern: /^Context (?:length|limit)|context.{0,20}(?:length|window|limit)|too long|maximum context/i,
    event: (message) => ({ type: 'context_exceeded', message }),
  },
  { pattern: /session not found|no such session/i, event: failure('SESSION_NOT_FOUND') },
  { pattern: /^Server error|\b5\d\d\b/i, event: failure('SERVER_ERROR') },
  {
    pattern: /^Network error|stream decode|connect|timed out|decoding response body/i,
    event: failure('NETWORK_ERROR'),
  },
];

export function readGooseError(message: string): EventBody {
  const rule = RULES.find(({ pattern }) => pattern.test(message));
  return (rule?.event ?? failure('AGENT_ERROR'))(message);
}

function failure(code: 'SESSION_NOT_FOUND' | 'SERVER_ERROR' | 'NETWORK_ERROR' | 'AGENT_ERROR') {
  return (message: string): EventBody => failed(code, message);
}
