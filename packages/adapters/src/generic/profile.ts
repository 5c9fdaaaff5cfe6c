import type { AgentAdapter } from '@agent-mux/core';
import type { z } from 'zod';

/** Source of a definition: the context of `${env:NAME}`, `~` and relative commands. */
export interface DefinitionSource {
  env: NodeJS.ProcessEnv;
  /** Folder of the file that holds it. */
  folder: string;
}

/** For a definition that is not in a file. */
export const noFile = (): DefinitionSource => ({ env: process.env, folder: process.cwd() });

/** How an agent definition `{ id, name, profile, <key>: {...} }` becomes an adapter. */
export interface DefinitionProfile<T> {
  profile: string;
  key: string;
  schema: z.ZodType<T>;
  create(id: string, name: string, config: T, place?: DefinitionSource): AgentAdapter;
}
