/** At most three names within a typo of the wanted one, or that start with it; the nearest first. */
export function suggestNames(wanted: string, known: readonly string[]): string[] {
  const lower = wanted.toLowerCase();
  const slips = Math.max(1, Math.floor(lower.length / 3));
  return known
    .map((name) => ({ name, distance: distanceOf(lower, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= slips)
    .sort((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Letters to insert, delete, replace or swap with an adjacent one; 1 if one name is a prefix of the other. */
function distanceOf(a: string, b: string): number {
  if (a.length > 1 && b.length > 1 && (a.startsWith(b) || b.startsWith(a))) return a === b ? 0 : 1;
  const width = b.length + 1;
  const cells = new Uint16Array((a.length + 1) * width);
  const cell = (i: number, j: number) => cells[i * width + j] ?? 0;
  for (let i = 0; i <= a.length; i += 1) {
    for (let j = 0; j <= b.length; j += 1) {
      let least =
        i === 0 || j === 0
          ? i + j
          : Math.min(cell(i - 1, j) + 1, cell(i, j - 1) + 1, cell(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, cell(i - 2, j - 2) + 1);
      cells[i * width + j] = least;
    }
  }
  return cell(a.length, b.length);
}
