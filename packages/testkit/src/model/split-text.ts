/**
 * Splits into `count` pieces (fewer when there are not enough code points). A piece may end inside a grapheme, as
 * with real models, but never inside a surrogate pair: each piece is valid UTF-8.
 */
export function splitText(text: string, count: number): string[] {
  const points = Array.from(text);
  const pieces = Math.min(Math.max(1, Math.trunc(count)), points.length);
  return Array.from({ length: pieces }, (_, i) => {
    const start = Math.floor((i * points.length) / pieces);
    const end = Math.floor(((i + 1) * points.length) / pieces);
    return points.slice(start, end).join('');
  });
}
