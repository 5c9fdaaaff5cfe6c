import { parseDuration } from '@agent-mux/core';
import { z } from 'zod';

/** A config field with a duration above zero; its value is milliseconds. */
export const durationMs = z.string().transform((text, context) => {
  const ms = parseDuration(text.trim());
  if (ms !== undefined && ms > 0) return ms;
  context.addIssue({ code: 'custom', message: `"${text}" is not a duration such as "250ms", "60s", "5m" or "1h30m"` });
  return z.NEVER;
});
