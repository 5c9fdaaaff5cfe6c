import { EXIT } from './exit-codes.ts';
import type { ErrorLine, JsonDocuments, JsonLines } from './json/documents.ts';
import { jsonOf } from './screen/json.ts';
import { paint, supportsColor } from './screen/paint.ts';
import { escapeUnprintable, keepOnlyColors } from './screen/plain.ts';
import { type TableOptions, table } from './screen/table.ts';
import { outputWidth, wordWrap } from './screen/wrap.ts';

/** Prints lines and returns the success exit code. Strips control sequences, as names and values may come from anywhere. */
export function print(text: string): number {
  process.stdout.write(`${keepOnlyColors(text, supportsColor(process.stdout))}\n`);
  return EXIT.ok;
}

/** Prints lines to stderr. */
export function printInfo(text: string): void {
  process.stderr.write(`${keepOnlyColors(text, supportsColor(process.stderr))}\n`);
}

/** Prints hints to stderr: stdout carries only the result. */
export function printNote(...notes: string[]): number {
  const { dim } = paint(process.stderr);
  printInfo(notes.flatMap((note) => wordWrap(escapeUnprintable(note), outputWidth()).map(dim)).join('\n'));
  return EXIT.ok;
}

/** Prints one JSON document of the given command. */
export function printJson<Command extends keyof JsonDocuments = never>(value: JsonDocuments[Command]): number {
  process.stdout.write(`${jsonOf(value, 2)}\n`);
  return EXIT.ok;
}

/** Prints one JSON line. */
export function printJsonLine<Command extends keyof JsonLines = never>(value: JsonLines[Command] | ErrorLine): void {
  process.stdout.write(`${jsonOf(value)}\n`);
}

/** A table whose first row is the header. */
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
