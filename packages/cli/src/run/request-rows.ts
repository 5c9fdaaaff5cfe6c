import type { SummaryLine } from '@agent-mux/core';
import type { Screen } from '../screen/screen.ts';
import { splitColumns } from '../screen/width.ts';

/** So many rows of a request are shown at once; a key shows the rest. */
export const FOLDED_ROWS = 30;
const INDENT = '    ';
/** Before what a line that is too wide goes on with, so that it cannot be taken for a line of its own. */
const GOES_ON = '  ';
const SIGNS: Readonly<Record<SummaryLine['kind'], string>> = {
  field: '',
  text: '│ ',
  added: '+ ',
  removed: '- ',
  same: '  ',
};

/** The lines of a summary as rows of the screen; a line that is wider takes several. */
export function rowsOf(
  lines: readonly SummaryLine[],
  screen: Pick<Screen, 'paint' | 'width'>,
  head: { first?: string; style?: (text: string) => string } = {},
): string[] {
  const { paint, width } = screen;
  const colours = {
    field: head.style ?? paint.dim,
    text: paint.dim,
    added: paint.green,
    removed: paint.red,
    same: paint.dim,
  };
  return lines.flatMap(({ kind, text }, at) => {
    const sign = SIGNS[kind];
    const pieces = splitColumns(text, Math.max(20, width - INDENT.length - sign.length - GOES_ON.length - 1));
    return pieces.map((piece, index) => {
      if (at === 0 && index === 0 && head.first !== undefined) return `${head.first}${colours[kind](piece)}`;
      return `${INDENT}${colours[kind](`${sign}${index === 0 ? '' : GOES_ON}${piece}`)}`;
    });
  });
}
