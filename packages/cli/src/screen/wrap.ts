import { columnsOf, widthOf } from './width.ts';

/** Terminal width of stdout; unlimited without a terminal, as a program may read it. */
export function outputWidth(): number {
  return process.stdout.isTTY ? columnsOf(process.stdout) : Number.POSITIVE_INFINITY;
}

/** Wraps to lines of at most this many columns, between words. A longer word is not split. */
export function wordWrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || widthOf(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}
