import type { ConfigScope } from '@agent-mux/core';
import { type Flag, hasFlag, listFlag, type ParsedArgs } from '../command.ts';
import { UsageError } from '../usage-error.ts';

export const SCOPE_FLAGS = {
  global: { type: 'boolean', help: 'Use your user files' },
  project: { type: 'boolean', help: 'Use the files of the current project' },
} as const satisfies Record<string, Flag>;

export function scopeOf(args: ParsedArgs): { scope?: ConfigScope } {
  if (hasFlag(args, 'global') && hasFlag(args, 'project'))
    throw new UsageError('--global and --project are mutually exclusive');
  if (hasFlag(args, 'project')) return { scope: 'project' };
  return hasFlag(args, 'global') ? { scope: 'global' } : {};
}

/** `--agent a,b --agent c`. */
export function agentsOf(args: ParsedArgs): string[] {
  return listFlag(args, 'agent')
    .flatMap((names) => names.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
