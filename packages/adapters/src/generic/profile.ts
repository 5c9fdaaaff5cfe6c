import type { AgentAdapter } from '@agent-mux/core';
import type { z } from 'zod';

/** Where a definition stands: what `${env:NAME}` and `~` mean there, and what a relative command is seen from. */
export interface DefinitionPlace {
  env: NodeJS.ProcessEnv;
  /** Of the file that holds it. */
  folder: string;
}

/** Of a definition that stands in no file. */
export const noFile = (): DefinitionPlace => ({ env: process.env, folder: process.cwd() });

/** How an agent definition `{ id, name, profile, <key>: {...} }` becomes an adapter. */
export interface DefinitionProfile<T> {
  profile: string;
  key: string;
  schema: z.ZodType<T>;
  create(id: string, name: string, config: T, place?: DefinitionPlace): AgentAdapter;
}
