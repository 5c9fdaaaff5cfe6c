import type { AgentAdapter } from '@agent-mux/core';
import type { z } from 'zod';

/** How an agent definition `{ id, name, profile, <key>: {...} }` becomes an adapter. */
export interface DefinitionProfile<T> {
  profile: string;
  key: string;
  schema: z.ZodType<T>;
  create(id: string, name: string, config: T): AgentAdapter;
}
