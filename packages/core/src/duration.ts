const UNITS: readonly (readonly [ms: number, unit: string])[] = [
  [24 * 60 * 60_000, 'day'],
  [60 * 60_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

/** Formats a duration in at most two units: `300 ms`, `1.5 s`, `5 min`, `1 h 30 min`, `2 days`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return 'no end';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1).replace(/\.0$/, '')} s`;
  // Anything below the second unit is rounded, which may carry over: 59 min 59.9 s is an hour.
  for (const [at, [size, unit]] of UNITS.entries()) {
    const [smaller = 1000, name = ''] = UNITS[at + 1] ?? [];
    const rounded = Math.round(ms / smaller) * smaller;
    if (rounded < size) continue;
    const rest = Math.floor((rounded % size) / smaller);
    const count = Math.floor(rounded / size);
    return `${count} ${unit}${unit === 'day' && count > 1 ? 's' : ''}${rest > 0 ? ` ${rest} ${name}` : ''}`;
  }
  return `${Math.round(ms)} ms`;
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const PART = /(?<![\d.])(\d{1,15}(?:\.\d{1,15})?)(ms|s|m|h|d)/g;
const WHOLE = /^(?:\d{1,15}(?:\.\d{1,15})?(?:ms|s|m|h|d)){1,20}$/;

/** `250ms`, `60s`, `5m`, `1h30m` in milliseconds; undefined if it is not a duration. */
export function parseDuration(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(PART)) total += Number(amount) * (UNITS_MS[unit ?? ''] ?? 0);
  return Math.round(total);
}
