import type { AuthCheck } from '@agent-mux/core';

/** Keys in a .env file, which the agent loads automatically. */
export function dotenvKeys(file: string, names: readonly string[]): AuthCheck[] {
  return names.map((key) => ({ file, format: 'dotenv', key, method: 'api_key' }));
}
