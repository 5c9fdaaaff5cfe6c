import type { InstallMethod } from '@agent-mux/core';
import { type FlagTable, type Given, JSON_FLAG, TRUST_FLAG, textFlag } from '../command.ts';
import { UsageError } from '../usage-error.ts';

const METHODS: readonly InstallMethod['type'][] = ['npm', 'brew', 'pip', 'curl', 'winget', 'nix'];

/** Flags of everything that changes what is installed. */
export const CHANGE_FLAGS: FlagTable = {
  method: { type: 'string', value: 'NAME', help: `By this way: ${METHODS.join(', ')}.` },
  'dry-run': { type: 'boolean', help: 'Show the command and run nothing.' },
  json: JSON_FLAG,
  'trust-project': TRUST_FLAG,
};

export function methodOf(given: Given): { method?: InstallMethod['type'] } {
  const text = textFlag(given, 'method');
  if (text === undefined) return {};
  const method = METHODS.find((known) => known === text);
  if (method) return { method };
  throw new UsageError(`--method: "${text}" is not a way to install`, `there are ${METHODS.join(', ')}`);
}
