import { widthOf } from '../src/screen/width.ts';

const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' });
const SEQUENCE = /^\x1b\[([?0-9;]*)([A-Za-z])/;

/** The rows of a terminal after this output, without colors. Supports only what amux sends. */
export function screenOf(output: string, columns: number): string[] {
  const rows: string[][] = [[]];
  let row = 0;
  let column = 0;
  const at = (index: number): string[] => {
    while (rows.length <= index) rows.push([]);
    return rows[index] ?? [];
  };
  const put = (character: string) => {
    const width = widthOf(character);
    if (width === 0) return;
    if (column + width > columns) {
      row += 1;
      column = 0;
    }
    const cells = at(row);
    while (cells.length < column) cells.push(' ');
    cells[column] = character;
    if (width === 2) cells[column + 1] = '';
    column += width;
  };
  const move: Record<string, (count: number, text: string) => void> = {
    A: (count) => {
      row = Math.max(0, row - count);
      // A cursor after the last column is on it again.
      column = Math.min(column, columns - 1);
    },
    B: (count) => {
      row += count;
    },
    C: (count) => {
      column = Math.min(columns - 1, column + count);
    },
    D: (count) => {
      column = Math.max(0, column - count);
    },
    G: (count) => {
      column = count - 1;
    },
    J: () => {
      at(row).length = Math.min(at(row).length, column);
      rows.length = row + 1;
    },
    K: () => {
      at(row).length = Math.min(at(row).length, column);
    },
  };
  let rest = output;
  while (rest !== '') {
    const [sequence, parameters = '', kind = ''] = SEQUENCE.exec(rest) ?? [];
    if (sequence !== undefined) {
      move[kind]?.(Number(parameters) || 1, parameters);
      rest = rest.slice(sequence.length);
      continue;
    }
    const end = rest.slice(1).search(/[\x00-\x1f]/) + 1;
    const part = /^[\x00-\x1f]/.test(rest) ? rest.slice(0, 1) : rest.slice(0, end === 0 ? undefined : end);
    rest = rest.slice(part.length);
    if (part === '\r') column = 0;
    else if (part === '\n') row += 1;
    else if (part === '\t') column = Math.min(columns - 1, (Math.floor(column / 8) + 1) * 8);
    else if (!/^[\x00-\x1f]/.test(part)) for (const { segment } of CHARACTERS.segment(part)) put(segment);
    at(row);
  }
  const shown = rows.map((cells) =>
    Array.from(cells, (cell) => cell ?? ' ')
      .join('')
      .trimEnd(),
  );
  while (shown.at(-1) === '') shown.pop();
  return shown;
}
