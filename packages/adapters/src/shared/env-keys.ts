import type { AuthCheck } from '@agent-mux/core';

/** Keys in environment variables. */
export function envKeys(names: readonly string[]): AuthCheck[] {
  return names.map((env) => ({ env, method: 'api_key' }));
}
