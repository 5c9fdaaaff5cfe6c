/** Characters that need no quoting in a POSIX shell. */
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Quotes one argument for a POSIX shell. */
export function shellQuote(text: string): string {
  if (PLAIN.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Quotes a whole command. A first argument with `=` is quoted too, or the shell would read it as an assignment. */
export function shellCommand(args: readonly string[]): string {
  return args
    .map((arg, index) => (index === 0 && arg.includes('=') ? `'${arg.replaceAll("'", `'\\''`)}'` : shellQuote(arg)))
    .join(' ');
}
