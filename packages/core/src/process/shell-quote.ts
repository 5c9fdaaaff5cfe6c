/** Characters that a POSIX shell takes as they are. */
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** One word for a POSIX shell that comes out as exactly this text. */
export function shellQuote(text: string): string {
  if (PLAIN.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A whole command. A first word with `=` is quoted too, or the shell would take it for an assignment. */
export function shellCommand(words: readonly string[]): string {
  return words
    .map((word, index) => (index === 0 && word.includes('=') ? `'${word.replaceAll("'", `'\\''`)}'` : shellQuote(word)))
    .join(' ');
}
