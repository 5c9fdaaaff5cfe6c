import { createHash, randomBytes } from 'node:crypto';

/** No vowels and no ambiguous characters, so that ids never spell a word and can be read aloud. */
const LETTERS = '0123456789bcdfghjkmnpqrstvwxz';

/** More than 50 bits; short enough to type a prefix. */
export function createSessionId(): string {
  return `s${randomLetters(11)}`;
}

export function createMessageId(): string {
  return `m${randomLetters(16)}`;
}

/** The agent's request id is unique within a launch at most, so all three identify a request. */
export function requestKey(sessionId: string, launch: number, requestId: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([sessionId, launch, requestId]))
    .digest('hex');
  return `r${digest.slice(0, 15)}`;
}

/** Set in the environment of every process of the launch. */
export function runIdOf(sessionId: string, launch: number): string {
  return `${sessionId}-${launch}`;
}

/** The inverse of `runIdOf`; undefined if it is not a run id of this session. */
export function launchOfRunId(sessionId: string, runId: string): number | undefined {
  const number = runId.startsWith(`${sessionId}-`) ? runId.slice(sessionId.length + 1) : '';
  return /^\d+$/.test(number) ? Number(number) : undefined;
}

export function randomLetters(count: number): string {
  // 29 letters: bytes from 232 on would favor the first ones.
  let letters = '';
  while (letters.length < count) {
    for (const byte of randomBytes(count))
      if (byte < 232 && letters.length < count) letters += LETTERS[byte % LETTERS.length];
  }
  return letters;
}
