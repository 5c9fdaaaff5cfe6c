import type { Conversation } from './conversation.ts';

interface Failure {
  words: RegExp;
  error: Record<string, unknown>;
}

/** Failures on request, so that every layer above an agent can be tested. */
const FAILURES: readonly Failure[] = [
  {
    words: /fail auth/i,
    error: { code: 'auth', message: 'the demo key is not valid', guidance: 'Ask for something else than a failure.' },
  },
  {
    words: /fail rate[ -]?limit/i,
    error: { code: 'rate_limit', message: 'the demo limit is reached', retry_after_ms: 60_000 },
  },
  { words: /fail context/i, error: { code: 'context', message: 'the demo context window is full' } },
  { words: /fail server/i, error: { code: 'server', message: 'the demo server is overloaded' } },
];

/** `fail rate limit for 5s`: in the middle of the work. */
const LIMIT_FOR = /fail rate[ -]?limit for (\d{1,6})s\b/i;
/** `fail rate limit until 1794841200000`: at once, until that time. */
const LIMIT_UNTIL = /fail rate[ -]?limit until (\d{13})\b/i;

/** True: the turn has failed, and the failure was emitted. */
export async function failOnRequest(talk: Conversation): Promise<boolean> {
  const until = LIMIT_UNTIL.exec(talk.prompt)?.[1];
  if (until !== undefined) return refuseUntil(talk, Number(until) - Date.now());
  const failure = FAILURES.find(({ words }) => words.test(talk.prompt));
  if (!failure) return false;
  await talk.say('This is going to fail, as you asked.\n');
  const seconds = LIMIT_FOR.exec(talk.prompt)?.[1];
  talk.emit('error', seconds === undefined ? failure.error : limitFor(Number(seconds) * 1000));
  return true;
}

function refuseUntil(talk: Conversation, ms: number): boolean {
  if (ms > 0) talk.emit('error', limitFor(ms));
  return ms > 0;
}

function limitFor(ms: number): Record<string, unknown> {
  return { code: 'rate_limit', message: 'the demo limit is reached', retry_after_ms: ms };
}
