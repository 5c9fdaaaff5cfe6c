import { dirname } from 'node:path';
import {
  type AgentAdapter,
  type ConfigIssue,
  type ConfigPath,
  issueAt,
  type LoadedDefinition,
  suggestNames,
} from '@agent-mux/core';
import { z } from 'zod';
import type { DefinitionProfile } from './profile.ts';

export interface DefinedAdapters {
  adapters: AgentAdapter[];
  issues: ConfigIssue[];
  /** Agents with an invalid definition, with their issues. */
  invalid: Map<string, ConfigIssue[]>;
}

/** Every valid definition becomes an adapter; issues of the others have file, line and field. */
export function adaptersFromDefinitions(
  definitions: readonly LoadedDefinition[],
  profiles: readonly DefinitionProfile<unknown>[],
  env: NodeJS.ProcessEnv = process.env,
): DefinedAdapters {
  const defined: DefinedAdapters = { adapters: [], issues: [], invalid: new Map() };
  for (const loaded of definitions) {
    const { adapter, issues } = readDefinition(loaded, profiles, env);
    if (adapter) defined.adapters.push(adapter);
    else defined.invalid.set(loaded.id, issues);
    defined.issues.push(...issues);
  }
  return defined;
}

function readDefinition(
  { id, definition, document, path, file }: LoadedDefinition,
  profiles: readonly DefinitionProfile<unknown>[],
  env: NodeJS.ProcessEnv,
): { adapter?: AgentAdapter; issues: ConfigIssue[] } {
  const fault = (field: ConfigPath, problem: string) => issueAt(document, [...path, ...field], problem);
  const profile = profiles.find((known) => known.profile === definition.profile);
  if (!profile) {
    return { issues: [fault(['profile'], unknownProfile(definition.profile, profiles))] };
  }
  const { key } = profile;
  const issues: ConfigIssue[] = [];
  for (const name of Object.keys(definition)) {
    if (['id', 'name', 'profile', key].includes(name)) continue;
    issues.push(fault([name], `is unknown here; the profile ${profile.profile} has its fields under "${key}"`));
  }
  const name = definition.name ?? id;
  if (typeof name !== 'string' || name.trim() === '') issues.push(fault(['name'], 'must be a string'));
  const config = profile.schema.safeParse(definition[key] ?? {});
  if (!config.success) {
    for (const issue of config.error.issues) {
      for (const [field, problem] of problemsOf(issue, profile.schema)) issues.push(fault([key, ...field], problem));
    }
  }
  if (issues.length > 0 || !config.success || typeof name !== 'string') return { issues };
  return { adapter: profile.create(id, name, config.data, { env, folder: dirname(file) }), issues };
}

function unknownProfile(value: unknown, profiles: readonly DefinitionProfile<unknown>[]): string {
  const known = profiles.map(({ profile }) => profile);
  const near = typeof value === 'string' ? suggestNames(value, known) : [];
  const problem = value === undefined ? 'is required' : `${JSON.stringify(value)} is unknown`;
  return `${problem}; ${near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are: ${known.join(', ')}`}`;
}

function problemsOf(issue: z.core.$ZodIssue, schema: z.ZodType): [ConfigPath, string][] {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  if (issue.code === 'unrecognized_keys') {
    const fields = schema instanceof z.ZodObject ? `; there are: ${Object.keys(schema.shape).join(', ')}` : '';
    return issue.keys.map((key) => [[...path, key], `is not a field of this profile${fields}`]);
  }
  const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  return [[path, missing ? 'is required' : issue.message]];
}
