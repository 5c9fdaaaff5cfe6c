/**
 * The rest of a line after this text; empty if the line does not contain it. A pattern with `.*` would search again
 * from each match.
 */
export function textAfter(words: string, line: string): string {
  const at = line.indexOf(words);
  return at === -1 ? '' : line.slice(at + words.length);
}
