import { AgentMuxError, ValidationError, type ValidationIssue } from '../contract/errors.ts';
import type { RunOptions } from '../contract/options.ts';
import { lazyModules } from '../lazy-modules.ts';
import { applyChanges } from '../native-config/changes.ts';
import type { ConfigChange } from '../native-config/codecs.ts';
import { editNativeFile, type FileEdit, type NativeFile } from '../native-config/edit-file.ts';
import { suggestNames } from '../suggest-names.ts';
import { isRecord, valueAtPath } from '../values.ts';
import { newProjectConfigFile, projectConfigFile, projectFolder, userConfigFile } from './files.ts';
import { loadConfig } from './load-config.ts';
import { describeUnknownField } from './profiles.ts';
import { findLoosenedOptions, findUntrusted } from './project-profiles.ts';

export interface ProfileLocation {
  /** Default: the user's file. */
  project?: boolean;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

/** One value of a profile, by its path within it; undefined removes it. */
export type ProfileChange = Pick<ConfigChange, 'path' | 'value'>;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/**
 * Changes or creates a profile in one file; comments and everything else are kept. Throws ValidationError before
 * anything is written.
 */
export async function setProfile(
  name: string,
  decide: (current: Readonly<Record<string, unknown>>) => readonly ProfileChange[],
  location: ProfileLocation = {},
): Promise<FileEdit> {
  if (!NAME.test(name)) {
    throw new ValidationError('profile', [
      { field: '', problem: `"${name}" is not a name of letters, digits, ".", "_" and "-"` },
    ]);
  }
  return editNativeFile(
    fileOf(location),
    (content) => {
      const current = profileIn(content, name);
      const changes = decide(current);
      assertProfile(name, applyChanges(current, changes), location);
      if (changes.length === 0 && !hasProfile(content, name)) return [{ path: ['profiles', name], value: {} }];
      return changes.map(({ path, value }) => ({ path: ['profiles', name, ...path], value }));
    },
    location.env ? { env: location.env } : {},
  );
}

/** Removes a profile from one file. Throws if the file does not have it. */
export async function deleteProfile(name: string, location: ProfileLocation = {}): Promise<FileEdit> {
  return editNativeFile(
    fileOf(location),
    (content) => {
      if (hasProfile(content, name)) return [{ path: ['profiles', name], value: undefined }];
      const { profileLayers } = loadConfig(location);
      const existing = Object.hasOwn(profileLayers, name) ? profileLayers[name]?.[0] : undefined;
      const [near] = suggestNames(name, Object.keys(profilesOf(content)));
      const hint = existing ? `it is in ${existing.file}, line ${existing.line}` : near && `did you mean ${near}?`;
      throw new AgentMuxError('VALIDATION_ERROR', `${fileOf(location).path} has no profile "${name}"`, { hint });
    },
    location.env ? { env: location.env } : {},
  );
}

function fileOf({ project = false, cwd = process.cwd(), env }: ProfileLocation): NativeFile {
  const file = { agent: 'agent-mux', format: 'jsonc' } as const;
  if (!project) return { ...file, path: userConfigFile(env) };
  return { ...file, path: projectConfigFile(cwd) ?? newProjectConfigFile(cwd), within: projectFolder(cwd) };
}

function assertProfile(name: string, profile: Record<string, unknown>, location: ProfileLocation): void {
  const issues: ValidationIssue[] = [];
  const parsed = lazyModules.optionSchemas().RunProfileSchema.safeParse(profile);
  for (const issue of parsed.error?.issues ?? []) {
    const path = issue.path.map(String);
    if (issue.code !== 'unrecognized_keys') issues.push({ field: path.join('.'), problem: issue.message });
    else
      for (const key of issue.keys) issues.push({ field: [...path, key].join('.'), problem: describeUnknownKey(key) });
  }
  if (location.project) {
    for (const [field, problem] of findUntrusted(profile)) issues.push({ field, problem });
    const { own, defined } = readUserSettings(name, location);
    if (parsed.success) {
      for (const [field, problem] of findLoosenedOptions(own, parsed.data, defined)) issues.push({ field, problem });
    }
  }
  if (issues.length > 0) throw new ValidationError(`profile "${name}"`, issues);
}

function describeUnknownKey(key: string): string {
  const near = suggestNames(key, Object.keys(lazyModules.optionSchemas().RunProfileSchema.shape));
  return near.length > 0
    ? `${describeUnknownField(key)}; did you mean ${near.join(' or ')}?`
    : describeUnknownField(key);
}

/** The user's profile of that name, and the agents the user has defined. */
function readUserSettings(name: string, location: ProfileLocation): { own: Partial<RunOptions>; defined: string[] } {
  const { profileLayers, definitions } = loadConfig(location);
  const layers = Object.hasOwn(profileLayers, name) ? profileLayers[name] : undefined;
  return {
    own: layers?.find(({ trusted }) => trusted)?.options ?? {},
    defined: definitions.filter(({ trusted }) => trusted).map(({ id }) => id),
  };
}

function profilesOf(content: unknown): Record<string, unknown> {
  const profiles = valueAtPath(content, ['profiles']);
  return isRecord(profiles) ? profiles : {};
}

function hasProfile(content: unknown, name: string): boolean {
  return Object.hasOwn(profilesOf(content), name);
}

function profileIn(content: unknown, name: string): Record<string, unknown> {
  const profile = valueAtPath(content, ['profiles', name]);
  return isRecord(profile) ? profile : {};
}
