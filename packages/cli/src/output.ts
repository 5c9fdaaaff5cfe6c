import { EXIT } from './exit-codes.ts';
import { jsonOf } from './screen/json.ts';
import { paint, usesColour } from './screen/paint.ts';
import { onlyColours } from './screen/plain.ts';
import { type TableOptions, table } from './screen/table.ts';

/** Lines for a person, and the exit code of a command that worked. Names and values in them may come from anywhere. */
export function print(text: string): number {
  process.stdout.write(`${onlyColours(text, usesColour(process.stdout))}\n`);
  return EXIT.ok;
}

/** Lines for a person beside the output. */
export function tell(text: string): void {
  process.stderr.write(`${onlyColours(text, usesColour(process.stderr))}\n`);
}

/** One document for a program. */
export function printJson(value: unknown): number {
  process.stdout.write(`${jsonOf(value, 2)}\n`);
  return EXIT.ok;
}

/** One of many, each on a line. */
export function printJsonLine(value: unknown): void {
  process.stdout.write(`${jsonOf(value)}\n`);
}

/** A table whose first row is its head. */
export function headed(
  rows: readonly (readonly string[])[],
  style: (text: string, row: number, column: number) => string = (text) => text,
  options: TableOptions = {},
): string {
  const { bold } = paint(process.stdout);
  return table(rows, (cell, row, column) => (row === 0 ? bold(cell) : style(cell, row, column)), options);
}
