import type { ParseArgsOptionsConfig } from 'node:util';

/** What `npm run test:chaos` takes. */
export const TEST_CHAOS_FLAGS = {
  rounds: { type: 'string' },
  seed: { type: 'string' },
  kind: { type: 'string' },
  agents: { type: 'string' },
  cases: { type: 'boolean' },
  case: { type: 'string', multiple: true },
  load: { type: 'boolean' },
  workers: { type: 'string' },
  sources: { type: 'boolean' },
  story: { type: 'boolean' },
  keep: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;
