import { z } from 'zod';
import type { QuotaStatus } from '../contract/quota.ts';
import { MAX_WINDOWS, QUOTA_SCHEMA } from './quota.ts';
import { LATEST_TIME_MS } from './time.ts';

const Time = z.number().nonnegative().max(LATEST_TIME_MS);
const Kept = z.object({
  schema: z.literal(QUOTA_SCHEMA),
  agent: z.string(),
  limited: z.boolean(),
  windows: z
    .array(
      z.object({
        window: z.string(),
        usedPercent: z.number().nullable(),
        resetsAt: Time.nullable(),
        exhausted: z.boolean(),
      }),
    )
    .max(MAX_WINDOWS),
  earliestResetAt: Time.nullable(),
  asOf: Time,
});

/** Throws if the text is not a stored quota. */
export function parseStoredQuota(text: string): QuotaStatus {
  const { schema: _, ...quota } = Kept.parse(JSON.parse(text));
  return quota;
}
