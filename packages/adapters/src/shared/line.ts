/** The rest of a line behind these words; nothing where they are not in it. A pattern with `.*` would look from each of them anew. */
export function behind(words: string, line: string): string {
  const at = line.indexOf(words);
  return at === -1 ? '' : line.slice(at + words.length);
}
