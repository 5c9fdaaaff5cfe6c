import { REDACTED, redactSecrets } from '@agent-mux/core';

/** How much of the text before a piece is remembered. */
const CONTEXT_CHARS = 160;

/**
 * A secret may come in two pieces of a text. The end of a piece that may be the beginning of a known one is held back until the
 * next piece shows whether it is: never more than the longest secret has characters. Secrets that are known by their shape:
 * `findPartialSecret`.
 */
export function makeTailFinder(secrets: readonly string[]): (text: string) => number {
  const byFirst = new Map<string, string[]>();
  for (const secret of secrets) {
    const known = byFirst.get(secret.charAt(0));
    if (known) known.push(secret);
    else byFirst.set(secret.charAt(0), [secret]);
  }
  const longest = Math.max(0, ...secrets.map(({ length }) => length));
  /** Where such an end begins; the length of the text where there is none. */
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

/** The end of a text, from the beginning of a word: a part of one may look like something else. */
export function contextOf(text: string): string {
  if (text.length <= 2 * CONTEXT_CHARS) return text;
  const end = text.slice(-CONTEXT_CHARS);
  const blank = end.search(/\s/);
  return blank === -1 ? '' : end.slice(blank);
}

/** A piece without its secrets, also those that are known by what comes before it, or that begin there. */
export function redactAfter(context: string, piece: string, secrets: readonly string[]): string {
  const whole = redactSecrets(context + piece, secrets);
  if (whole.startsWith(context)) return whole.slice(context.length);
  if (redactSecrets(context, secrets) !== context) return redactSecrets(piece, secrets);
  let same = 0;
  while (same < Math.min(piece.length, whole.length) && piece.at(-1 - same) === whole.at(-1 - same)) same += 1;
  return REDACTED + piece.slice(piece.length - same);
}
