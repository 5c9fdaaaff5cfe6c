import { toJson } from '@agent-mux/core';
import { EXIT } from './exit-codes.ts';
import { paint } from './screen/paint.ts';
import { type TableOptions, table } from './screen/table.ts';

/** Lines for a person, and the exit code of a command that worked. */
export function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return EXIT.ok;
}

/** One document for a program. */
export function printJson(value: unknown): number {
  return print(toJson(value, 2));
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
