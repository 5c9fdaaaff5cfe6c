import type { AuthCheck } from '@agent-mux/core';

/** Whoever has set one of these variables has a key. */
export function envKeys(names: readonly string[]): AuthCheck[] {
  return names.map((env) => ({ env, method: 'api_key' }));
}
