import { escapeUnprintable } from './plain.ts';
import { columnsOf, cutToWidth, widthOf } from './width.ts';

/** Minimum column width. */
const NARROWEST = 8;
/** Before a column is truncated below this width, a spare column is dropped. */
const READABLE = 16;
const GAP = '  ';

export interface TableOptions {
  /** Columns truncated last, such as names to be typed. Default: the first. */
  keep?: readonly number[];
  /** Columns dropped first if there is not enough space, in this order. Default: from the last one on. */
  spare?: readonly number[];
  /** The first row is a header: on a terminal, columns that are empty below it are dropped. */
  hasHead?: boolean;
  /** Default: the terminal width of stdout; without a terminal nothing is truncated, as a program may read it. */
  width?: number;
}

/**
 * Columns are as wide as their widest cell. On a narrow terminal, some are dropped and the widest ones truncated, so that no
 * line is wider than the terminal. The last column is not padded. `style` adds color afterwards.
 */
export function table(
  rows: readonly (readonly string[])[],
  style: (text: string, row: number, column: number) => string = (text) => text,
  {
    keep = [0],
    spare,
    hasHead,
    width = process.stdout.isTTY ? columnsOf(process.stdout) : undefined,
  }: TableOptions = {},
): string {
  const cells = rows.map((row) => row.map((cell) => escapeUnprintable(cell).replace(/\s*\n\s*/g, ' ')));
  const columns = Math.max(0, ...cells.map((row) => row.length));
  const natural = Array.from({ length: columns }, (_, c) => Math.max(0, ...cells.map((row) => widthOf(row[c] ?? ''))));
  const isEmpty = (c: number) => hasHead === true && cells.length > 1 && cells.slice(1).every((row) => !row[c]);
  const widths = width === undefined ? natural : fitColumns(natural, width, { keep, spare, isEmpty });
  return cells
    .map((row, r) =>
      row
        .map((cell, c) => ({ c, space: widths[c], cell }))
        .filter((each): each is { c: number; space: number; cell: string } => each.space !== undefined)
        .map(({ c, space, cell }, at, shown) => {
          const text = cutToWidth(cell, space);
          const padding = at < shown.length - 1 ? ' '.repeat(Math.max(0, space - widthOf(text))) : '';
          return style(text, r, c) + padding;
        })
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
}

/** Width of each column; undefined if it is dropped. */
function fitColumns(
  natural: readonly number[],
  width: number,
  {
    keep,
    spare = [],
    isEmpty,
  }: { keep: readonly number[]; spare?: readonly number[]; isEmpty: (c: number) => boolean },
): (number | undefined)[] {
  const shown = new Set([...natural.keys()].filter((c) => !isEmpty(c)));
  const need = (least: number) => {
    const sum = [...shown].reduce(
      (total, c) => total + Math.min(natural[c] ?? 0, keep.includes(c) ? Infinity : least),
      0,
    );
    return sum + GAP.length * (shown.size - 1);
  };
  for (const c of spare) if (need(READABLE) > width) shown.delete(c);
  const fromLast = [...natural.keys()].reverse().filter((c) => c > 0 && !keep.includes(c));
  for (const c of fromLast) if (need(NARROWEST) > width) shown.delete(c);
  const widths = natural.map((each, c) => (shown.has(c) ? each : undefined));
  const total = () => widths.reduce<number>((sum, each) => sum + (each ?? 0), GAP.length * (shown.size - 1));
  const steps = [
    { mayCut: (c: number) => !keep.includes(c), least: NARROWEST },
    { mayCut: () => true, least: NARROWEST },
    { mayCut: () => true, least: 1 },
  ];
  for (const { mayCut, least } of steps) {
    while (total() > width) {
      const widest = widths.reduce<number>(
        (best, each, c) => (mayCut(c) && (each ?? 0) > (widths[best] ?? 0) ? c : best),
        -1,
      );
      const current = widths[widest] ?? 0;
      if (current <= least) break;
      widths[widest] = current - 1;
    }
  }
  return widths;
}
