import { AgentMuxError, type Fault, ValidationError } from '../contract/errors.ts';
import type { RunOptions } from '../contract/options.ts';
import { applyChanges } from '../native-config/changes.ts';
import type { ConfigChange } from '../native-config/codecs.ts';
import { editNativeFile, type FileEdit, type NativeFile } from '../native-config/edit-file.ts';
import { findNearNames } from '../near-names.ts';
import { onDemand } from '../on-demand.ts';
import { isRecord, valueAtPath } from '../values.ts';
import { newProjectConfigFile, projectConfigFile, projectFolder, userConfigFile } from './files.ts';
import { loadConfig } from './load-config.ts';
import { describeUnknownField } from './profiles.ts';
import { findLooser, findUntrusted } from './project-profiles.ts';

export interface ProfilePlace {
  /** Default: the user's own file. */
  project?: boolean;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

/** One value of a profile, by its path within it; undefined takes it out. */
export type ProfileChange = Pick<ConfigChange, 'path' | 'value'>;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Changes a profile of one file, or makes it; comments and all else stay. Throws ValidationError before anything is written. */
export async function setProfile(
  name: string,
  decide: (current: Readonly<Record<string, unknown>>) => readonly ProfileChange[],
  place: ProfilePlace = {},
): Promise<FileEdit> {
  if (!NAME.test(name)) {
    throw new ValidationError('profile', [{ field: '', problem: `"${name}" is not a name of letters, digits, . _ -` }]);
  }
  return editNativeFile(
    fileOf(place),
    (content) => {
      const current = profileIn(content, name);
      const changes = decide(current);
      assertProfile(name, applyChanges(current, changes), place);
      if (changes.length === 0 && !hasProfile(content, name)) return [{ path: ['profiles', name], value: {} }];
      return changes.map(({ path, value }) => ({ path: ['profiles', name, ...path], value }));
    },
    place.env ? { env: place.env } : {},
  );
}

/** Takes a profile out of one file. Throws where that file has none of the name. */
export async function deleteProfile(name: string, place: ProfilePlace = {}): Promise<FileEdit> {
  return editNativeFile(
    fileOf(place),
    (content) => {
      if (hasProfile(content, name)) return [{ path: ['profiles', name], value: undefined }];
      const { profileLayers } = loadConfig(place);
      const elsewhere = Object.hasOwn(profileLayers, name) ? profileLayers[name]?.[0] : undefined;
      const [near] = findNearNames(name, Object.keys(profilesOf(content)));
      const hint = elsewhere
        ? `it stands in ${elsewhere.file}, line ${elsewhere.line}`
        : near && `did you mean ${near}?`;
      throw new AgentMuxError('VALIDATION_ERROR', `${fileOf(place).path} has no profile "${name}"`, { hint });
    },
    place.env ? { env: place.env } : {},
  );
}

function fileOf({ project = false, cwd = process.cwd(), env }: ProfilePlace): NativeFile {
  const file = { agent: 'agent-mux', format: 'jsonc' } as const;
  if (!project) return { ...file, path: userConfigFile(env) };
  return { ...file, path: projectConfigFile(cwd) ?? newProjectConfigFile(cwd), within: projectFolder(cwd) };
}

function assertProfile(name: string, profile: Record<string, unknown>, place: ProfilePlace): void {
  const faults: Fault[] = [];
  const parsed = onDemand.optionSchemas().RunProfileSchema.safeParse(profile);
  for (const issue of parsed.error?.issues ?? []) {
    const path = issue.path.map(String);
    if (issue.code !== 'unrecognized_keys') faults.push({ field: path.join('.'), problem: issue.message });
    else
      for (const key of issue.keys) faults.push({ field: [...path, key].join('.'), problem: describeUnknownKey(key) });
  }
  if (place.project) {
    for (const [field, problem] of findUntrusted(profile)) faults.push({ field, problem });
    const { own, defined } = readUserWords(name, place);
    if (parsed.success) {
      for (const [field, problem] of findLooser(own, parsed.data, defined)) faults.push({ field, problem });
    }
  }
  if (faults.length > 0) throw new ValidationError(`profile "${name}"`, faults);
}

function describeUnknownKey(key: string): string {
  const near = findNearNames(key, Object.keys(onDemand.optionSchemas().RunProfileSchema.shape));
  return near.length > 0
    ? `${describeUnknownField(key)}; did you mean ${near.join(' or ')}?`
    : describeUnknownField(key);
}

/** The user's profile of that name, and the agents that the user has defined. */
function readUserWords(name: string, place: ProfilePlace): { own: Partial<RunOptions>; defined: string[] } {
  const { profileLayers, definitions } = loadConfig(place);
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
