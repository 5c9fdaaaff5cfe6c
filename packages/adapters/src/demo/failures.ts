import type { Conversation } from './conversation.ts';

interface Failure {
  words: RegExp;
  error: Record<string, unknown>;
}

/** Failures on request, so that everything above an agent can be seen to cope. */
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

/** True: the turn has failed, and how was told. */
export async function failOnRequest(talk: Conversation): Promise<boolean> {
  const failure = FAILURES.find(({ words }) => words.test(talk.prompt));
  if (!failure) return false;
  await talk.say('This is going to fail, as you asked.\n');
  talk.tell('error', failure.error);
  return true;
}
