/** One number of the bench. `of bare` and `per s`: the more the better; of all others the less. */
export interface Row {
  name: string;
  value: number;
  unit: 'of bare' | 'per s' | 'x' | 'ms' | 'MB' | 'KB' | '%';
  /** What it is to reach at least, or to stay within. */
  target?: number;
  /** What the number was made of. */
  detail?: string;
}

export function meetsTarget({ value, unit, target }: Row): boolean {
  if (target === undefined) return true;
  // As precisely as it is shown.
  const shown = Number(shownValue({ value, unit }));
  return unit === 'of bare' || unit === 'per s' ? shown >= target : shown <= target;
}

export function shownValue({ value, unit }: Pick<Row, 'value' | 'unit'>): string {
  if (unit === 'of bare' || unit === 'x') return value.toFixed(2);
  return value < 10 ? value.toFixed(1) : value.toFixed(0);
}
