import { columnsOf, widthOf } from './width.ts';

/** The width of the terminal on stdout; without one there is no end: a program may read it. */
export function outputWidth(): number {
  return process.stdout.isTTY ? columnsOf(process.stdout) : Number.POSITIVE_INFINITY;
}

/** Lines of at most so many columns, broken between words. A word that is longer stays whole. */
export function wrapWholeWords(text: string, width: number): string[] {
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
