import type { z } from 'zod';
import type { RunOptions } from '../contract/options.ts';
import { type ConfigDocument, type ConfigFault, faultAt, locate } from '../documents/document.ts';
import { maskAt } from '../native-config/mask.ts';
import { onDemand } from '../on-demand.ts';
import { isMapOption, mergeOptions, mergeValue } from '../run/options/merge-options.ts';
import { PROFILE_REFUSALS } from '../run/options/options.ts';
import { isRecord } from '../values.ts';
import { findUntrusted } from './project-profiles.ts';

/** A profile as one file has it. */
export interface ProfileLayer {
  file: string;
  line: number;
  /** False: a project's. */
  trusted: boolean;
  options: Partial<RunOptions>;
  document: ConfigDocument;
}

/** Where a value of a profile comes from. */
export interface ProfileField {
  /** `model`, or `env.NAME` for an entry of a map. */
  field: string;
  value: unknown;
  file: string;
  line: number;
}

/** The profile at `profiles.<name>`, or what is wrong with it. One with a fault is not used at all: half of it may be worse. */
export function readProfile(
  document: ConfigDocument,
  name: string,
  value: unknown,
  trusted: boolean,
): { profile?: Partial<RunOptions>; faults: ConfigFault[] } {
  const at = ['profiles', name];
  if (!isRecord(value)) return { faults: [faultAt(document, at, 'must be an object of run options')] };
  const refused = trusted ? [] : findUntrusted(value).map(([key, problem]) => faultAt(document, [...at, key], problem));
  const parsed = onDemand.optionSchemas().RunProfileSchema.safeParse(value);
  const wrong = parsed.success ? [] : parsed.error.issues.flatMap((issue) => locateIssue(document, at, issue));
  const faults = [...refused, ...wrong];
  return faults.length > 0 || !parsed.success ? { faults } : { profile: parsed.data, faults };
}

/** Profiles by name, the later over the earlier. */
export function mergeProfiles(
  sets: readonly Readonly<Record<string, Partial<RunOptions>>>[],
): Record<string, Partial<RunOptions>> {
  const names = new Set(sets.flatMap((set) => Object.keys(set)));
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      mergeOptions(sets.map((set) => (Object.hasOwn(set, name) ? set[name] : undefined))),
    ]),
  );
}

/** Every value of a profile, and the file that has the last word on it. */
export function profileFields(name: string, layers: readonly ProfileLayer[]): ProfileField[] {
  const fields = new Map<string, ProfileField>();
  for (const { file, document, options } of layers) {
    const put = (path: readonly string[], value: unknown) => {
      const field = path.join('.');
      const merged = mergeValue(field, fields.get(field)?.value, value);
      fields.set(field, { field, value: merged, file, line: locate(document, ['profiles', name, ...path]).line });
    };
    for (const [key, value] of Object.entries(options)) {
      if (!isMapOption(key) || !isRecord(value)) put([key], value);
      else for (const [entry, inner] of Object.entries(value)) put([key, entry], inner);
    }
  }
  return [...fields.values()].sort((a, b) => (a.field < b.field ? -1 : 1));
}

/** A value of a profile as it may be shown: variables and headers are secrets often enough. */
export function maskProfileValue(path: readonly string[], value: unknown): unknown {
  return maskAt({ agent: '', fields: [], configFilePaths: [], projectConfigFilePaths: [] }, path, value);
}

function locateIssue(document: ConfigDocument, at: readonly string[], issue: z.core.$ZodIssue): ConfigFault[] {
  const path = [...at, ...issue.path.map((key) => (typeof key === 'number' ? key : String(key)))];
  if (issue.code !== 'unrecognized_keys') return [faultAt(document, path, issue.message)];
  return issue.keys.map((key) => faultAt(document, [...path, key], describeUnknownField(key)));
}

export function describeUnknownField(key: string): string {
  const refused = Object.entries(PROFILE_REFUSALS).find(([field]) => field === key);
  return refused ? `may not be set by a profile: ${refused[1]}` : 'is not a run option';
}
