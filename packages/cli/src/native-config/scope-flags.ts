import type { ConfigScope } from '@agent-mux/core';
import { type Flag, type Given, isOn, listFlag } from '../command.ts';
import { UsageError } from '../usage-error.ts';

export const SCOPE_FLAGS = {
  global: { type: 'boolean', help: "The user's own files." },
  project: { type: 'boolean', help: 'The files of the project in this folder.' },
} as const satisfies Record<string, Flag>;

export function scopeOf(given: Given): { scope?: ConfigScope } {
  if (isOn(given, 'global') && isOn(given, 'project')) throw new UsageError('--global or --project, not both');
  if (isOn(given, 'project')) return { scope: 'project' };
  return isOn(given, 'global') ? { scope: 'global' } : {};
}

/** `--agent a,b --agent c`. */
export function agentsOf(given: Given): string[] {
  return listFlag(given, 'agent')
    .flatMap((names) => names.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
