import type { z } from 'zod';
import type { RunOptions } from '../contract/options.ts';
import { type ConfigDocument, type ConfigIssue, issueAt, positionOf } from '../documents/document.ts';
import { lazyModules } from '../lazy-modules.ts';
import { maskAt } from '../native-config/mask.ts';
import { isMapOption, mergeOptions, mergeValue } from '../run/options/merge-options.ts';
import { PROFILE_FORBIDDEN_OPTIONS } from '../run/options/options.ts';
import { isRecord } from '../values.ts';
import { findUntrusted } from './project-profiles.ts';

/** A profile as defined in one file. */
export interface ProfileLayer {
  file: string;
  line: number;
  /** False: from a project. */
  trusted: boolean;
  options: Partial<RunOptions>;
  document: ConfigDocument;
}

/** The source of a profile value. */
export interface ProfileField {
  /** `model`, or `env.NAME` for an entry of a map. */
  field: string;
  value: unknown;
  file: string;
  line: number;
}

/**
 * The profile at `profiles.<name>`, or its issues. An invalid profile is ignored entirely: a partial one may be worse.
 */
export function readProfile(
  document: ConfigDocument,
  name: string,
  value: unknown,
  trusted: boolean,
): { profile?: Partial<RunOptions>; issues: ConfigIssue[] } {
  const at = ['profiles', name];
  if (!isRecord(value)) return { issues: [issueAt(document, at, 'must be an object of run options')] };
  const refused = trusted ? [] : findUntrusted(value).map(([key, problem]) => issueAt(document, [...at, key], problem));
  const parsed = lazyModules.optionSchemas().RunProfileSchema.safeParse(value);
  const wrong = parsed.success ? [] : parsed.error.issues.flatMap((issue) => locateIssue(document, at, issue));
  const issues = [...refused, ...wrong];
  return issues.length > 0 || !parsed.success ? { issues } : { profile: parsed.data, issues };
}

/** Merges profiles by name; later ones take precedence. */
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

/** Every value of a profile, and the file that sets it. */
export function profileFields(name: string, layers: readonly ProfileLayer[]): ProfileField[] {
  const fields = new Map<string, ProfileField>();
  for (const { file, document, options } of layers) {
    const put = (path: readonly string[], value: unknown) => {
      const field = path.join('.');
      const merged = mergeValue(field, fields.get(field)?.value, value);
      fields.set(field, { field, value: merged, file, line: positionOf(document, ['profiles', name, ...path]).line });
    };
    for (const [key, value] of Object.entries(options)) {
      if (!isMapOption(key) || !isRecord(value)) put([key], value);
      else for (const [entry, inner] of Object.entries(value)) put([key, entry], inner);
    }
  }
  return [...fields.values()].sort((a, b) => (a.field < b.field ? -1 : 1));
}

/** A value of a profile for display: variables and headers are masked, since they are often secrets. */
export function maskProfileValue(path: readonly string[], value: unknown): unknown {
  return maskAt({ agent: '', fields: [], configFilePaths: [], projectConfigFilePaths: [] }, path, value);
}

function locateIssue(document: ConfigDocument, at: readonly string[], issue: z.core.$ZodIssue): ConfigIssue[] {
  const path = [...at, ...issue.path.map((key) => (typeof key === 'number' ? key : String(key)))];
  if (issue.code !== 'unrecognized_keys') return [issueAt(document, path, issue.message)];
  return issue.keys.map((key) => issueAt(document, [...path, key], describeUnknownField(key)));
}

export function describeUnknownField(key: string): string {
  const refused = Object.entries(PROFILE_FORBIDDEN_OPTIONS).find(([field]) => field === key);
  return refused ? `may not be set by a profile: ${refused[1]}` : 'is not a run option';
}
