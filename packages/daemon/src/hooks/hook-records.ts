import { ActivitySchema } from '@agent-mux/api/schemas';
import { isRecord, type ProcessIdentity, stillAlive } from '@agent-mux/core';
import { z } from 'zod';
import { EMPTY_HOOK_RECORD, type HookRecord } from '../activity/hook-record.ts';
import type { DaemonContext } from '../sessions/daemon-context.ts';

/** Kind of the records that store what hooks reported, by session id. */
export const HOOKS = 'hooks';

const hookValue = <Value extends z.ZodType>(value: Value) =>
  z.object({ value, at: z.number(), id: z.string() }).nullable().catch(null);

const HookRecordSchema: z.ZodType<HookRecord> = z.object({
  state: hookValue(ActivitySchema),
  title: hookValue(z.string()),
  summary: hookValue(z.string()),
  model: hookValue(z.string()),
  process: hookValue(z.object({ pid: z.int(), startTime: z.string() })),
  aliveAt: z.number().catch(0),
});

export async function readHookRecord({ store }: Pick<DaemonContext, 'store'>, sessionId: string): Promise<HookRecord> {
  const value = await store.getRecord(HOOKS, sessionId);
  return isRecord(value) ? HookRecordSchema.parse(value) : EMPTY_HOOK_RECORD;
}

/** Whether the agent's process is alive; null if the process is unknown. */
export function checkProcess({ process }: Pick<HookRecord, 'process'>): 'lives' | 'gone' | null {
  if (process === null) return null;
  const known: ProcessIdentity = process.value;
  return stillAlive([known]).length > 0 ? 'lives' : 'gone';
}
