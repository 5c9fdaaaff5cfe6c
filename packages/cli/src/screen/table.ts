/** Columns as wide as their widest cell; the last one is not padded. Colour comes afterwards, by `style`. */
export function table(
  rows: readonly (readonly string[])[],
  style: (text: string, row: number, column: number) => string = (text) => text,
): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row, r) =>
      row
        .map((cell, c) => style(cell, r, c) + (c < row.length - 1 ? ' '.repeat((widths[c] ?? 0) - cell.length) : ''))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
