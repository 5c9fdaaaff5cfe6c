import type { InstallMethod } from '@agent-mux/core';
import { type FlagTable, JSON_FLAG, type ParsedArgs, stringFlag, TRUST_FLAG } from '../command.ts';
import { UsageError } from '../usage-error.ts';

const METHODS: readonly InstallMethod['type'][] = ['npm', 'brew', 'pip', 'curl', 'winget', 'nix'];

/** Flags of install, update and uninstall. */
export const CHANGE_FLAGS: FlagTable = {
  method: { type: 'string', value: 'NAME', help: `Install method: ${METHODS.join(', ')}` },
  'dry-run': { type: 'boolean', help: 'Print the command and run nothing' },
  json: JSON_FLAG,
  'trust-project': TRUST_FLAG,
};

export function methodOf(args: ParsedArgs): { method?: InstallMethod['type'] } {
  const text = stringFlag(args, 'method');
  if (text === undefined) return {};
  const method = METHODS.find((known) => known === text);
  if (method) return { method };
  throw new UsageError(`--method: unknown method "${text}"`, `use one of ${METHODS.join(', ')}`);
}
