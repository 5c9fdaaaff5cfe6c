import type { SummaryLine } from '@agent-mux/core';
import type { Screen } from '../screen/screen.ts';
import { splitColumns } from '../screen/width.ts';

/** Maximum number of rows shown at once; a key shows the rest. */
export const FOLDED_ROWS = 30;
const INDENT = '    ';
/** Marks the continuation of a long line, so that it is not mistaken for a separate line. */
const CONTINUATION = '  ';
const SIGNS: Readonly<Record<SummaryLine['kind'], string>> = {
  field: '',
  text: '│ ',
  added: '+ ',
  removed: '- ',
  same: '  ',
};

/** Converts the lines of a summary to screen rows; long lines take several rows. */
export function rowsOf(
  lines: readonly SummaryLine[],
  screen: Pick<Screen, 'paint' | 'width'>,
  head: { first?: string; style?: (text: string) => string } = {},
): string[] {
  const { paint, width } = screen;
  const colors = {
    field: head.style ?? paint.dim,
    text: paint.dim,
    added: paint.green,
    removed: paint.red,
    same: paint.dim,
  };
  return lines.flatMap(({ kind, text }, at) => {
    const sign = SIGNS[kind];
    const pieces = splitColumns(text, Math.max(20, width - INDENT.length - sign.length - CONTINUATION.length - 1));
    return pieces.map((piece, index) => {
      if (at === 0 && index === 0 && head.first !== undefined) return `${head.first}${colors[kind](piece)}`;
      return `${INDENT}${colors[kind](`${sign}${index === 0 ? '' : CONTINUATION}${piece}`)}`;
    });
  });
}
