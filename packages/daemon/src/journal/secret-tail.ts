import { REDACTED, redactSecrets } from '@agent-mux/core';

/** How much of the text before a chunk is remembered. */
const CONTEXT_CHARS = 160;

/**
 * Finds the end of a chunk that may be the start of a known secret, since a secret may be split across chunks. It is
 * withheld until the next chunk, and is never longer than the longest secret. For secrets known by their pattern, see
 * `findPartialSecret`.
 */
export function createSecretTailMatcher(secrets: readonly string[]): (text: string) => number {
  const byFirst = new Map<string, string[]>();
  for (const secret of secrets) {
    const known = byFirst.get(secret.charAt(0));
    if (known) known.push(secret);
    else byFirst.set(secret.charAt(0), [secret]);
  }
  const longest = Math.max(0, ...secrets.map(({ length }) => length));
  /** Returns the index where such an end starts, or the length of the text. */
  return (text) => {
    for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
      const candidates = byFirst.get(text.charAt(at));
      if (!candidates) continue;
      const tail = text.slice(at);
      if (candidates.some((secret) => secret.length > tail.length && secret.startsWith(tail))) return at;
    }
    return text.length;
  };
}

/** The end of a text, starting at a word boundary: part of a word may look like something else. */
export function contextOf(text: string): string {
  if (text.length <= 2 * CONTEXT_CHARS) return text;
  const end = text.slice(-CONTEXT_CHARS);
  const blank = end.search(/\s/);
  return blank === -1 ? '' : end.slice(blank);
}

/** Redacts a chunk, including secrets that are recognized by, or start in, the text before it. */
export function redactAfter(context: string, chunk: string, secrets: readonly string[]): string {
  const whole = redactSecrets(context + chunk, secrets);
  if (whole.startsWith(context)) return whole.slice(context.length);
  if (redactSecrets(context, secrets) !== context) return redactSecrets(chunk, secrets);
  let same = 0;
  while (same < Math.min(chunk.length, whole.length) && chunk.at(-1 - same) === whole.at(-1 - same)) same += 1;
  return REDACTED + chunk.slice(chunk.length - same);
}
