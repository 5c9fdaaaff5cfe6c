import { EXIT } from './exit-codes.ts';
import type { ErrorLine, JsonDocuments, JsonLines } from './json/documents.ts';
import { jsonOf } from './screen/json.ts';
import { paint, usesColour } from './screen/paint.ts';
import { keepOnlyColours, makePrintable } from './screen/plain.ts';
import { type TableOptions, table } from './screen/table.ts';
import { outputWidth, wrapWholeWords } from './screen/wrap.ts';

/** Lines for a person, and the exit code of a command that worked. Names and values in them may come from anywhere. */
export function print(text: string): number {
  process.stdout.write(`${keepOnlyColours(text, usesColour(process.stdout))}\n`);
  return EXIT.ok;
}

/** Lines for a person beside the output. */
export function tell(text: string): void {
  process.stderr.write(`${keepOnlyColours(text, usesColour(process.stderr))}\n`);
}

/** Prints hints to stderr: stdout carries only what the command was asked for. */
export function printNote(...notes: string[]): number {
  const { dim } = paint(process.stderr);
  tell(notes.flatMap((note) => wrapWholeWords(makePrintable(note), outputWidth()).map(dim)).join('\n'));
  return EXIT.ok;
}

/** One document for a program; which one has to be said. */
export function printJson<Command extends keyof JsonDocuments = never>(value: JsonDocuments[Command]): number {
  process.stdout.write(`${jsonOf(value, 2)}\n`);
  return EXIT.ok;
}

/** One of many, each on a line. */
export function printJsonLine<Command extends keyof JsonLines = never>(value: JsonLines[Command] | ErrorLine): void {
  process.stdout.write(`${jsonOf(value)}\n`);
}

/** A table whose first row is its head. */
export function addHead(
  rows: readonly (readonly string[])[],
  style: (text: string, row: number, column: number) => string = (text) => text,
  options: TableOptions = {},
): string {
  const { bold } = paint(process.stdout);
  return table(rows, (cell, row, column) => (row === 0 ? bold(cell) : style(cell, row, column)), {
    hasHead: true,
    ...options,
  });
}
