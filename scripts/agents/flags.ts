import type { ParseArgsOptionsConfig } from 'node:util';

/** Flags of `npm run test:agents`. */
export const TEST_AGENTS_FLAGS = {
  case: { type: 'string', multiple: true },
  carrier: { type: 'string', multiple: true },
  mode: { type: 'string', multiple: true },
  full: { type: 'boolean' },
  record: { type: 'boolean' },
  json: { type: 'boolean' },
  workers: { type: 'string' },
  keep: { type: 'boolean' },
  release: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;
