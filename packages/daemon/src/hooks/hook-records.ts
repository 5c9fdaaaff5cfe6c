import { ActivitySchema } from '@agent-mux/api/schemas';
import { isRecord, type ProcessIdentity, stillAlive } from '@agent-mux/core';
import { z } from 'zod';
import { type HookMemory, NOTHING_HEARD } from '../activity/hook-memory.ts';
import type { Desk } from '../sessions/desk.ts';

/** Where it is kept what hooks have told of a session, by the session's id. */
export const HOOKS = 'hooks';

const told = <Value extends z.ZodType>(value: Value) =>
  z.object({ value, at: z.number(), id: z.string() }).nullable().catch(null);

const MemorySchema: z.ZodType<HookMemory> = z.object({
  state: told(ActivitySchema),
  title: told(z.string()),
  summary: told(z.string()),
  model: told(z.string()),
  process: told(z.object({ pid: z.int(), startTime: z.string() })),
  aliveAt: z.number().catch(0),
});

export async function readMemory({ store }: Pick<Desk, 'store'>, sessionId: string): Promise<HookMemory> {
  const value = await store.getRecord(HOOKS, sessionId);
  return isRecord(value) ? MemorySchema.parse(value) : NOTHING_HEARD;
}

/** Whether the agent's process is there. Null: it is not known which one it is. */
export function lookAtProcess({ process }: Pick<HookMemory, 'process'>): 'lives' | 'gone' | null {
  if (process === null) return null;
  const known: ProcessIdentity = process.value;
  return stillAlive([known]).length > 0 ? 'lives' : 'gone';
}
