import { dirname } from 'node:path';
import {
  type AgentAdapter,
  type ConfigFault,
  type ConfigPath,
  faultAt,
  findNearNames,
  type LoadedDefinition,
} from '@agent-mux/core';
import { z } from 'zod';
import type { DefinitionProfile } from './profile.ts';

export interface DefinedAdapters {
  adapters: AgentAdapter[];
  faults: ConfigFault[];
  /** The agents that are defined, but not rightly: what is wrong with each. */
  faulty: Map<string, ConfigFault[]>;
}

/** Every definition that is right becomes an adapter; what is wrong with the others is said with file, line and field. */
export function adaptersFromDefinitions(
  definitions: readonly LoadedDefinition[],
  profiles: readonly DefinitionProfile<unknown>[],
  env: NodeJS.ProcessEnv = process.env,
): DefinedAdapters {
  const defined: DefinedAdapters = { adapters: [], faults: [], faulty: new Map() };
  for (const loaded of definitions) {
    const { adapter, faults } = readDefinition(loaded, profiles, env);
    if (adapter) defined.adapters.push(adapter);
    else defined.faulty.set(loaded.id, faults);
    defined.faults.push(...faults);
  }
  return defined;
}

function readDefinition(
  { id, definition, document, path, file }: LoadedDefinition,
  profiles: readonly DefinitionProfile<unknown>[],
  env: NodeJS.ProcessEnv,
): { adapter?: AgentAdapter; faults: ConfigFault[] } {
  const fault = (field: ConfigPath, problem: string) => faultAt(document, [...path, ...field], problem);
  const profile = profiles.find((known) => known.profile === definition.profile);
  if (!profile) {
    return { faults: [fault(['profile'], unknownProfile(definition.profile, profiles))] };
  }
  const { key } = profile;
  const faults: ConfigFault[] = [];
  for (const name of Object.keys(definition)) {
    if (['id', 'name', 'profile', key].includes(name)) continue;
    faults.push(fault([name], `is not known here; the profile ${profile.profile} has its fields under "${key}"`));
  }
  const name = definition.name ?? id;
  if (typeof name !== 'string' || name.trim() === '') faults.push(fault(['name'], 'must be a text'));
  const config = profile.schema.safeParse(definition[key] ?? {});
  if (!config.success) {
    for (const issue of config.error.issues) {
      for (const [field, problem] of problemsOf(issue, profile.schema)) faults.push(fault([key, ...field], problem));
    }
  }
  if (faults.length > 0 || !config.success || typeof name !== 'string') return { faults };
  return { adapter: profile.create(id, name, config.data, { env, folder: dirname(file) }), faults };
}

function unknownProfile(given: unknown, profiles: readonly DefinitionProfile<unknown>[]): string {
  const known = profiles.map(({ profile }) => profile);
  const near = typeof given === 'string' ? findNearNames(given, known) : [];
  const problem = given === undefined ? 'is required' : `${JSON.stringify(given)} is unknown`;
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
