/** Literal text with `*` for any characters, including none. Holds the pieces between the stars; one piece: no star. */
export type Wildcard = readonly string[];

/** `\*` and `\\` are literal characters. */
export function parseWildcard(source: string): Wildcard {
  const pieces = [''];
  for (let at = 0; at < source.length; at += 1) {
    const character = source.charAt(at);
    const next = source.charAt(at + 1);
    if (character === '*') pieces.push('');
    else if (character === '\\' && (next === '*' || next === '\\')) {
      pieces[pieces.length - 1] += next;
      at += 1;
    } else pieces[pieces.length - 1] += character;
  }
  return pieces;
}

/** Matches the pieces in order: the first match of each is the best one, so no backtracking is needed. */
export function matchesWhole(pattern: Wildcard, text: string): boolean {
  const [first = '', ...rest] = pattern;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const piece of rest) {
    const at = text.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}

/**
 * Whether the pattern matches from a word start to a word end somewhere in the text; a trailing star matches anything.
 */
export function matchesWithin(pattern: Wildcard, text: string, isWord: (character: string) => boolean): boolean {
  const [first = '', ...rest] = pattern;
  const last = rest.pop();
  const startsWord = (at: number, piece: string) =>
    at === 0 || !isWord(piece.charAt(0)) || !isWord(text.charAt(at - 1));
  const endsWord = (end: number, piece: string) =>
    end === text.length || piece === '' || !isWord(piece.charAt(piece.length - 1)) || !isWord(text.charAt(end));
  for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1)) {
    if (first !== '' && !startsWord(at, first)) continue;
    if (last === undefined) {
      if (endsWord(at + first.length, first)) return true;
      continue;
    }
    // The rest is searched after the first match: a later match leaves less text.
    let from = at + first.length;
    for (const piece of rest) {
      const found = text.indexOf(piece, from);
      if (found < 0) return false;
      from = found + piece.length;
    }
    for (let end = text.indexOf(last, from); end >= 0; end = text.indexOf(last, end + 1))
      if (endsWord(end + last.length, last)) return true;
    return false;
  }
  return false;
}
