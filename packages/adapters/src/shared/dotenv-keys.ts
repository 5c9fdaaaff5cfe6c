import type { AuthCheck } from '@agent-mux/core';

/** Keys that people keep in a file of variables, which the agent loads by itself. */
export function dotenvKeys(file: string, names: readonly string[]): AuthCheck[] {
  return names.map((key) => ({ file, format: 'dotenv', key, method: 'api_key' }));
}
