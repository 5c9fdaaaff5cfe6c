import { z } from 'zod';

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const PART = /(?<![\d.])(\d{1,15}(?:\.\d{1,15})?)(ms|s|m|h|d)/g;
const WHOLE = /^(?:\d{1,15}(?:\.\d{1,15})?(?:ms|s|m|h|d)){1,20}$/;

/** `250ms`, `60s`, `5m`, `1h30m` in milliseconds; undefined when it is not a duration. */
export function parseDuration(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(PART)) total += Number(amount) * (UNITS_MS[unit ?? ''] ?? 0);
  return Math.round(total);
}

/** A config field with a duration above zero; its value is milliseconds. */
export const durationMs = z.string().transform((text, context) => {
  const ms = parseDuration(text.trim());
  if (ms !== undefined && ms > 0) return ms;
  context.addIssue({ code: 'custom', message: `"${text}" is not a duration such as "250ms", "60s", "5m" or "1h30m"` });
  return z.NEVER;
});
