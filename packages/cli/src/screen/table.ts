import { printable } from './plain.ts';
import { columnsOf, cutToWidth, widthOf } from './width.ts';

/** A column is not made narrower than this: less says nothing. */
const NARROWEST = 8;
const GAP = '  ';

export interface TableOptions {
  /** The columns that are cut last, such as names that are to be typed. Default: the first. */
  keep?: readonly number[];
  /** Default: that of the terminal on stdout; without one nothing is cut, since a program may read it. */
  width?: number;
}

/**
 * Columns as wide as their widest cell, as far as the terminal is wide enough: then the widest ones are cut. The last one is
 * not padded. Colour comes afterwards, by `style`.
 */
export function table(
  rows: readonly (readonly string[])[],
  style: (text: string, row: number, column: number) => string = (text) => text,
  { keep = [0], width = process.stdout.isTTY ? columnsOf(process.stdout) : undefined }: TableOptions = {},
): string {
  const cells = rows.map((row) => row.map((cell) => printable(cell).replace(/\s*\n\s*/g, ' ')));
  const columns = Math.max(0, ...cells.map((row) => row.length));
  const natural = Array.from({ length: columns }, (_, c) => Math.max(0, ...cells.map((row) => widthOf(row[c] ?? ''))));
  const widths = width === undefined ? natural : fitted(natural, width, keep);
  return cells
    .map((row, r) =>
      row
        .map((cell, c) => {
          const text = cutToWidth(cell, widths[c] ?? 0);
          const padding = c < row.length - 1 ? ' '.repeat((widths[c] ?? 0) - widthOf(text)) : '';
          return style(text, r, c) + padding;
        })
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** The widest is cut until all fit; the columns to keep only when nothing else can be cut. */
function fitted(natural: readonly number[], width: number, keep: readonly number[]): number[] {
  const widths = [...natural];
  const total = () => widths.reduce((sum, each) => sum + each, GAP.length * (widths.length - 1));
  for (const mayCut of [(c: number) => !keep.includes(c), () => true]) {
    while (total() > width) {
      const widest = widths.reduce((best, each, c) => (mayCut(c) && each > (widths[best] ?? 0) ? c : best), -1);
      if (widest === -1 || (widths[widest] ?? 0) <= NARROWEST) break;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  }
  return widths;
}
