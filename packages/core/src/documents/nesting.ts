const CODES = { quote: 0x22, slash: 0x2f, star: 0x2a, backslash: 0x5c } as const;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Offset at which JSON, with or without comments, is nested deeper than the limit. Parsers are recursive, and a file of
 * brackets would exhaust the stack. O(length), no recursion.
 */
export function findTooDeep(text: string, limit: number): number | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === CODES.quote) at = endOfString(text, at + 1);
    else if (code === CODES.slash) at = endOfComment(text, at);
    else if (OPENING.has(code)) {
      depth += 1;
      if (depth > limit) return at;
    } else if (CLOSING.has(code)) depth -= 1;
  }
  return undefined;
}

/** An unterminated string ends with its line, as in the parser. */
function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === CODES.backslash) at += 1;
    else if (code === CODES.quote || code === 0x0a || code === 0x0d) return at;
  }
  return text.length;
}

function endOfComment(text: string, at: number): number {
  const next = text.charCodeAt(at + 1);
  if (next !== CODES.slash && next !== CODES.star) return at;
  const end = next === CODES.slash ? text.indexOf('\n', at) : text.indexOf('*/', at + 2);
  if (end === -1) return text.length;
  return next === CODES.slash ? end : end + 1;
}
