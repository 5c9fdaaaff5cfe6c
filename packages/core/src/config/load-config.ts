import type { RunOptions } from '../contract/options.ts';
import {
  type ConfigDocument,
  type ConfigFault,
  type ConfigPath,
  faultAt,
  parseDocument,
  takeFirstFaults,
  valueIn,
} from '../documents/document.ts';
import type { AdapterEntry } from '../registry/load-adapters.ts';
import { findAgentNameFault } from '../registry/validate-names.ts';
import { mergeOptions } from '../run/options/merge-options.ts';
import { isRecord, messageOf } from '../values.ts';
import { readAdapterEntries } from './adapter-entries.ts';
import { projectConfigFile, readConfigFile, userConfigFile } from './files.ts';
import { type GitSettings, readGitSettings } from './git-settings.ts';
import { type ProfileLayer, readProfile } from './profiles.ts';
import { findLooser, withoutIdlePrompt } from './project-profiles.ts';

/** An agent definition as it stands in a file; the adapters know what its fields mean. */
export interface LoadedDefinition {
  id: string;
  definition: Record<string, unknown>;
  file: string;
  line: number;
  /** False: it came with a project, so its commands run only after the user has agreed. */
  trusted: boolean;
  document: ConfigDocument;
  /** Where it stands in the document; `faultAt(document, [...path, 'cli', 'command'], ...)` names a field of it. */
  path: ConfigPath;
}

export interface LoadedConfig {
  definitions: LoadedDefinition[];
  /** Named, not loaded: `loadAdapters` does that. */
  adapters: AdapterEntry[];
  /** Merged: the user's, refined by the project's. */
  profiles: Record<string, Partial<RunOptions>>;
  /** What each profile was merged from, the user's first. */
  profileLayers: Record<string, ProfileLayer[]>;
  /** How the daemon is set up, as it stands in the user's file; the daemon knows what its fields mean. */
  daemon?: { value: unknown; document: ConfigDocument };
  /** How agent-mux runs git, by the user's file. */
  git?: GitSettings;
  faults: ConfigFault[];
  /** The files that were there, the user's first. */
  files: string[];
}

/** `policy` is read where it is needed, each time anew. */
const TOP_LEVEL_KEYS = ['$schema', 'agents', 'adapters', 'profiles', 'daemon', 'policy', 'git'];
/** So many agents, adapters and profiles of a file are looked at, of each kind. */
const ENTRY_LIMIT = 1000;

/**
 * The user's file, then the project's. What is good loads, what is not is a fault with its line. A project can add
 * agents, never replace the user's; its profiles refine those of the user that have the same name.
 */
export function loadConfig(
  options: {
    cwd?: string;
    env?: NodeJS.ProcessEnv;
    /** What holds for runs without a profile: a project's profile may not go beyond that either. */
    defaults?: Partial<RunOptions>;
  } = {},
): LoadedConfig {
  const config: LoadedConfig = {
    definitions: [],
    adapters: [],
    profiles: {},
    profileLayers: {},
    faults: [],
    files: [],
  };
  const userFile = userConfigFile(options.env);
  const projectFile = projectConfigFile(options.cwd ?? process.cwd());
  const { defaults = {} } = options;
  addFile(config, userFile, true, defaults);
  if (projectFile !== undefined && projectFile !== userFile) addFile(config, projectFile, false, defaults);
  return { ...config, faults: takeFirstFaults(config.faults) };
}

function addFile(config: LoadedConfig, file: string, trusted: boolean, defaults: Partial<RunOptions>): void {
  let text: string | undefined;
  try {
    text = readConfigFile(file);
  } catch (error) {
    const reason = messageOf(error);
    config.faults.push({ file, line: 1, column: 1, field: '', problem: `cannot be read: ${reason}` });
  }
  if (text === undefined) return;
  config.files.push(file);
  const { document, faults } = parseDocument(file, text);
  for (const fault of faults) config.faults.push(fault);
  const content = valueIn(document, []);
  if (!isRecord(content)) {
    if (faults.length === 0) config.faults.push(faultAt(document, [], 'must hold an object'));
    return;
  }
  for (const key of Object.keys(content)) {
    if (!TOP_LEVEL_KEYS.includes(key)) {
      config.faults.push(
        faultAt(document, [key], 'is not known here; there are agents, adapters, profiles, daemon, policy and git'),
      );
    }
  }
  if (content.daemon !== undefined) {
    if (trusted) config.daemon = { value: content.daemon, document };
    else config.faults.push(faultAt(document, ['daemon'], "is set up by the user's own file alone"));
  }
  if (content.git !== undefined) {
    const { settings, faults: wrong } = readGitSettings(document, content.git, trusted);
    if (settings) config.git = settings;
    config.faults.push(...wrong);
  }
  addDefinitions(config, document, content.agents, trusted);
  addProfiles(config, document, content.profiles, { trusted, defaults });
  const { adapters } = content;
  const first = Array.isArray(adapters) ? takeFirstEntries(config, document, 'adapters', adapters) : adapters;
  const { entries, faults: wrong } = readAdapterEntries(document, first, trusted);
  config.adapters.push(...entries);
  config.faults.push(...wrong);
}

function addDefinitions(config: LoadedConfig, document: ConfigDocument, agents: unknown, trusted: boolean): void {
  if (agents === undefined) return;
  if (!Array.isArray(agents)) {
    config.faults.push(faultAt(document, ['agents'], 'must be a list of agent definitions'));
    return;
  }
  const known = new Map(config.definitions.map((definition) => [definition.id, definition]));
  takeFirstEntries(config, document, 'agents', agents).forEach((definition: unknown, index) => {
    const path = ['agents', index];
    const refuse = (field: ConfigPath, problem: string) => config.faults.push(faultAt(document, field, problem));
    if (!isRecord(definition)) {
      refuse(path, 'must be an object');
      return;
    }
    const { id } = definition;
    if (typeof id !== 'string') {
      refuse([...path, 'id'], 'must be the name of the agent');
      return;
    }
    const nameFault = findAgentNameFault(id);
    if (nameFault !== undefined) {
      refuse([...path, 'id'], nameFault);
      return;
    }
    const earlier = known.get(id);
    if (earlier) {
      refuse([...path, 'id'], `"${id}" is already defined in ${earlier.file}, line ${earlier.line}; that one is used`);
      return;
    }
    const { line } = faultAt(document, path, '');
    const loaded = { id, definition, file: document.file, line, trusted, document, path };
    known.set(id, loaded);
    config.definitions.push(loaded);
  });
}

function addProfiles(
  config: LoadedConfig,
  document: ConfigDocument,
  profiles: unknown,
  { trusted, defaults }: { trusted: boolean; defaults: Partial<RunOptions> },
): void {
  const defined = config.definitions.filter((each) => each.trusted).map(({ id }) => id);
  if (profiles === undefined) return;
  if (!isRecord(profiles)) {
    config.faults.push(faultAt(document, ['profiles'], 'must be an object of run profiles by name'));
    return;
  }
  for (const [name, value] of takeFirstEntries(config, document, 'profiles', Object.entries(profiles))) {
    if (name === '__proto__') {
      config.faults.push(faultAt(document, ['profiles', name], 'is not a name for a profile'));
      continue;
    }
    const { profile, faults } = readProfile(document, name, value, trusted);
    config.faults.push(...faults);
    if (!profile) continue;
    const layers = (Object.hasOwn(config.profileLayers, name) && config.profileLayers[name]) || [];
    const own = mergeOptions(layers.map(({ options }) => options));
    const holds = mergeOptions([defaults, own]);
    const looser = trusted ? [] : findLooser(holds, profile, defined);
    for (const [field, problem] of looser) config.faults.push(faultAt(document, ['profiles', name, field], problem));
    if (looser.length > 0) continue;
    const { line } = faultAt(document, ['profiles', name], '');
    const options = trusted ? profile : withoutIdlePrompt(holds, profile);
    config.profileLayers[name] = [...layers, { file: document.file, line, trusted, options, document }];
    config.profiles[name] = mergeOptions([own, options]);
  }
}

function takeFirstEntries<Entry>(
  config: LoadedConfig,
  document: ConfigDocument,
  key: string,
  entries: readonly Entry[],
): readonly Entry[] {
  if (entries.length <= ENTRY_LIMIT) return entries;
  const problem = `has ${entries.length} entries, and ${ENTRY_LIMIT} are the limit; the others are left out`;
  config.faults.push(faultAt(document, [key], problem));
  return entries.slice(0, ENTRY_LIMIT);
}
