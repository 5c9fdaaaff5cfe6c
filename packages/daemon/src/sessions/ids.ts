import { createHash, randomBytes } from 'node:crypto';

/** No vowels and nothing that looks like something else: ids are read aloud, and never spell a word. */
const LETTERS = '0123456789bcdfghjkmnpqrstvwxz';

/** Fifty bits and more: short enough to type a part of it. */
export function createSessionId(): string {
  return `s${randomLetters(11)}`;
}

export function createMessageId(): string {
  return `m${randomLetters(16)}`;
}

/** The agent's id is unique within a launch at most: a row is known by all three. */
export function requestKey(sessionId: string, launch: number, requestId: string): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([sessionId, launch, requestId]))
    .digest('hex');
  return `r${digest.slice(0, 15)}`;
}

/** Every process of the launch carries it in its environment. */
export function runIdOf(sessionId: string, launch: number): string {
  return `${sessionId}-${launch}`;
}

/** The inverse of `runIdOf`; undefined: it is not a run id of this session. */
export function launchOfRunId(sessionId: string, runId: string): number | undefined {
  const number = runId.startsWith(`${sessionId}-`) ? runId.slice(sessionId.length + 1) : '';
  return /^\d+$/.test(number) ? Number(number) : undefined;
}

export function randomLetters(count: number): string {
  // 29 letters: bytes from 232 on would prefer the first ones.
  let made = '';
  while (made.length < count) {
    for (const byte of randomBytes(count))
      if (byte < 232 && made.length < count) made += LETTERS[byte % LETTERS.length];
  }
  return made;
}
