import { ConfigSyntaxError, NATIVE_DEPTH_LIMIT, positionAt, TOO_DEEP } from './codecs.ts';

/**
 * Tokens that end a key, join its parts, or contain unrelated dots (strings, comments); an unfinished one ends with its
 * line.
 */
const TOKEN = /"{3}|'{3}|"(?:[^"\\\n]+|\\.)*"?|'[^'\n]*'?|#[^\n]*|[.=\n,{}[\]]/g;

/** The library takes minutes for a key of thousands of parts, so such a text is not passed to it. O(length). */
export function assertShortKeys(text: string): void {
  let dots = 0;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found; found = TOKEN.exec(text)) {
    const [token] = found;
    if (token === '"""' || token === "'''") TOKEN.lastIndex = endOfText(text, token, TOKEN.lastIndex);
    if (token === '.') dots += 1;
    else if (!/^["']/.test(token)) dots = 0;
    if (dots > NATIVE_DEPTH_LIMIT) throw new ConfigSyntaxError(TOO_DEEP, positionAt(text, found.index));
  }
}

function endOfText(text: string, quotes: string, from: number): number {
  const end = text.indexOf(quotes, from);
  return end === -1 ? text.length : end + quotes.length;
}
