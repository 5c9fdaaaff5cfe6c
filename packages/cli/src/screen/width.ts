import { charactersOf } from './characters.ts';
/** Number of terminal columns a text takes. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of charactersOf(text)) width += widthOfCharacter(segment);
  return width;
}

/** Truncates to a number of columns, with an ellipsis. */
export function cutToWidth(text: string, width: number): string {
  if (text.length <= width && PLAIN.test(text)) return text;
  if (widthOf(text) <= width) return text;
  let result = '';
  let used = 1;
  for (const { segment } of charactersOf(text)) {
    used += widthOfCharacter(segment);
    if (used > width) break;
    result += segment;
  }
  return `${result.trimEnd()}…`;
}

/** Wraps to rows of at most this many columns, between words if possible. */
export function wrapToWidth(text: string, width: number): string[] {
  const rows: string[] = [];
  let row = '';
  for (const word of text.split(/(?<=\s)(?=\S)/)) {
    if (row !== '' && widthOf(row + word.trimEnd()) > width) {
      rows.push(row.trimEnd());
      row = '';
    }
    row += word;
    if (widthOf(row.trimEnd()) <= width) continue;
    const pieces = splitColumns(row, width);
    row = pieces.pop() ?? '';
    rows.push(...pieces);
  }
  if (row.trim() !== '' || rows.length === 0) rows.push(row.trimEnd());
  return rows;
}

/** Splits into pieces of at most this many columns, between graphemes. */
export function splitColumns(text: string, width: number): string[] {
  if (text.length <= width && PLAIN.test(text)) return [text];
  const pieces = [''];
  let used = 0;
  for (const { segment } of charactersOf(text)) {
    const columns = widthOfCharacter(segment);
    if (used > 0 && used + columns > width) {
      pieces.push('');
      used = 0;
    }
    pieces[pieces.length - 1] += segment;
    used += columns;
  }
  return pieces;
}

/** ASCII and our own symbols take one column each; the Unicode tables are needed only for other text. */
const PLAIN = /^[ -~·…›→●○◆□■◌▲✓✗]*$/;
const NOTHING = /^[\p{Mark}\p{Cc}\p{Cf}]+$/u;
const EMOJI = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F/u;

/** Unicode East Asian Width: wide and full width. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18aff],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
];

function widthOfCharacter(character: string): number {
  if (NOTHING.test(character)) return 0;
  if (EMOJI.test(character)) return 2;
  const code = character.codePointAt(0) ?? 0;
  return WIDE.some(([first, last]) => code >= first && code <= last) ? 2 : 1;
}

/** Width of a terminal. Some report no columns at all (in a pipe of `script`, or just opened). */
export function columnsOf({ columns }: { columns?: number }): number {
  return columns || 80;
}
