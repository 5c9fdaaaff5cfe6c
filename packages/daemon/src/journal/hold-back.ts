/**
 * A secret may come in two pieces of a text. The end of a piece that may be the beginning of a known one is held back until the
 * next piece shows whether it is. Nothing else is ever delayed, and never more than the longest secret has characters.
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
