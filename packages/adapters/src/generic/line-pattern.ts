/** A longer line matches nothing. */
export const PATTERN_LINE_CHARS = 500;

/** Pattern of a whole line: literal text, with `*` for anything. Trailing blanks do not count. */
export interface LinePattern {
  matches(line: string): boolean;
  /** More text might make it match. */
  mayMatch(line: string): boolean;
}

const ANYTHING = Symbol('*');
type Part = string | typeof ANYTHING;

/** `\*` and `\\` are the characters themselves. Undefined: it would match any line. */
export function linePattern(source: string): LinePattern | undefined {
  const parts: Part[] = [];
  for (const [piece] of source.trimEnd().matchAll(/\\[\\*]|[\s\S]/g))
    parts.push(piece === '*' ? ANYTHING : piece.length > 1 ? piece.slice(1) : piece);
  if (parts.every((part) => part === ANYTHING || part.trim() === '')) return undefined;
  return {
    matches: (line) => findReached(parts, line).has(parts.length),
    mayMatch: (line) => findReached(parts, line).size > 0,
  };
}

/** How far into the pattern the line leads; at most characters times parts steps, whatever both are. */
function findReached(parts: readonly Part[], line: string): Set<number> {
  const text = line.trimEnd();
  if (text.length > PATTERN_LINE_CHARS) return new Set();
  let at = skipStars(parts, [0]);
  for (const character of text.split('')) {
    const next: number[] = [];
    for (const place of at) {
      if (parts[place] === ANYTHING) next.push(place);
      else if (parts[place] === character) next.push(place + 1);
    }
    at = skipStars(parts, next);
    if (at.size === 0) break;
  }
  return at;
}

/** If the next part matches the empty string, that one is reached, too. */
function skipStars(parts: readonly Part[], places: readonly number[]): Set<number> {
  const all = new Set<number>();
  for (let place of places) {
    all.add(place);
    while (parts[place] === ANYTHING) all.add(++place);
  }
  return all;
}
