import type { RunOptions } from '../contract/options.ts';
import {
  type ConfigDocument,
  type ConfigIssue,
  type ConfigPath,
  issueAt,
  limitIssues,
  parseDocument,
  valueIn,
} from '../documents/document.ts';
import type { AdapterEntry } from '../registry/load-adapters.ts';
import { findAgentNameIssue } from '../registry/validate-names.ts';
import { mergeOptions } from '../run/options/merge-options.ts';
import { isRecord, messageOf } from '../values.ts';
import { readAdapterEntries } from './adapter-entries.ts';
import { projectConfigFile, readConfigFile, userConfigFile } from './files.ts';
import { type GitSettings, readGitSettings } from './git-settings.ts';
import { type ProfileLayer, readProfile } from './profiles.ts';
import { findLoosenedOptions, withoutIdlePrompt } from './project-profiles.ts';

/** An agent definition as written in a file; the adapters interpret its fields. */
export interface LoadedDefinition {
  id: string;
  definition: Record<string, unknown>;
  file: string;
  line: number;
  /** False: it comes from a project, so its commands run only after the user has agreed. */
  trusted: boolean;
  document: ConfigDocument;
  /** Path in the document; `issueAt(document, [...path, 'cli', 'command'], ...)` reports one of its fields. */
  path: ConfigPath;
}

export interface LoadedConfig {
  definitions: LoadedDefinition[];
  /** Not loaded yet, see `loadAdapters`. */
  adapters: AdapterEntry[];
  /** Merged: the project's over the user's. */
  profiles: Record<string, Partial<RunOptions>>;
  /** The layers of each profile, the user's first. */
  profileLayers: Record<string, ProfileLayer[]>;
  /** The `daemon` section of the user's file; the daemon interprets its fields. */
  daemon?: { value: unknown; document: ConfigDocument };
  /** Git settings of the user's file. */
  git?: GitSettings;
  issues: ConfigIssue[];
  /** Existing files, the user's first. */
  files: string[];
}

/** `policy` is read separately, each time it is needed. */
const TOP_LEVEL_KEYS = ['$schema', 'agents', 'adapters', 'profiles', 'daemon', 'policy', 'git'];
/** Maximum number of agents, adapters and profiles in a file, each. */
const ENTRY_LIMIT = 1000;

/**
 * Loads the user's file, then the project's. Valid entries load; invalid ones become issues with their line. A project
 * can add agents but never replace the user's; its profiles refine the user's profiles of the same name.
 */
export function loadConfig(
  options: {
    cwd?: string;
    env?: NodeJS.ProcessEnv;
    /** Options of runs without a profile; a project's profile may not exceed them either. */
    defaults?: Partial<RunOptions>;
  } = {},
): LoadedConfig {
  const config: LoadedConfig = {
    definitions: [],
    adapters: [],
    profiles: {},
    profileLayers: {},
    issues: [],
    files: [],
  };
  const userFile = userConfigFile(options.env);
  const projectFile = projectConfigFile(options.cwd ?? process.cwd());
  const { defaults = {} } = options;
  addFile(config, userFile, true, defaults);
  if (projectFile !== undefined && projectFile !== userFile) addFile(config, projectFile, false, defaults);
  return { ...config, issues: limitIssues(config.issues) };
}

function addFile(config: LoadedConfig, file: string, trusted: boolean, defaults: Partial<RunOptions>): void {
  let text: string | undefined;
  try {
    text = readConfigFile(file);
  } catch (error) {
    const reason = messageOf(error);
    config.issues.push({ file, line: 1, column: 1, field: '', problem: `cannot be read: ${reason}` });
  }
  if (text === undefined) return;
  config.files.push(file);
  const { document, issues } = parseDocument(file, text);
  for (const issue of issues) config.issues.push(issue);
  const content = valueIn(document, []);
  if (!isRecord(content)) {
    if (issues.length === 0) config.issues.push(issueAt(document, [], 'must contain an object'));
    return;
  }
  for (const key of Object.keys(content)) {
    if (!TOP_LEVEL_KEYS.includes(key)) {
      config.issues.push(
        issueAt(document, [key], 'is not a known key; use agents, adapters, profiles, daemon, policy and git'),
      );
    }
  }
  if (content.daemon !== undefined) {
    if (trusted) config.daemon = { value: content.daemon, document };
    else config.issues.push(issueAt(document, ['daemon'], "is allowed in the user's own file only"));
  }
  if (content.git !== undefined) {
    const { settings, issues: wrong } = readGitSettings(document, content.git, trusted);
    if (settings) config.git = settings;
    config.issues.push(...wrong);
  }
  addDefinitions(config, document, content.agents, trusted);
  addProfiles(config, document, content.profiles, { trusted, defaults });
  const { adapters } = content;
  const first = Array.isArray(adapters) ? takeFirstEntries(config, document, 'adapters', adapters) : adapters;
  const { entries, issues: wrong } = readAdapterEntries(document, first, trusted);
  config.adapters.push(...entries);
  config.issues.push(...wrong);
}

function addDefinitions(config: LoadedConfig, document: ConfigDocument, agents: unknown, trusted: boolean): void {
  if (agents === undefined) return;
  if (!Array.isArray(agents)) {
    config.issues.push(issueAt(document, ['agents'], 'must be a list of agent definitions'));
    return;
  }
  const known = new Map(config.definitions.map((definition) => [definition.id, definition]));
  takeFirstEntries(config, document, 'agents', agents).forEach((definition: unknown, index) => {
    const path = ['agents', index];
    const refuse = (field: ConfigPath, problem: string) => config.issues.push(issueAt(document, field, problem));
    if (!isRecord(definition)) {
      refuse(path, 'must be an object');
      return;
    }
    const { id } = definition;
    if (typeof id !== 'string') {
      refuse([...path, 'id'], 'must be an agent name');
      return;
    }
    const nameIssue = findAgentNameIssue(id);
    if (nameIssue !== undefined) {
      refuse([...path, 'id'], nameIssue);
      return;
    }
    const earlier = known.get(id);
    if (earlier) {
      refuse([...path, 'id'], `"${id}" is already defined in ${earlier.file}, line ${earlier.line}; that one is used`);
      return;
    }
    const { line } = issueAt(document, path, '');
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
    config.issues.push(issueAt(document, ['profiles'], 'must be an object of run profiles by name'));
    return;
  }
  for (const [name, value] of takeFirstEntries(config, document, 'profiles', Object.entries(profiles))) {
    if (name === '__proto__') {
      config.issues.push(issueAt(document, ['profiles', name], 'is not a valid profile name'));
      continue;
    }
    const { profile, issues } = readProfile(document, name, value, trusted);
    config.issues.push(...issues);
    if (!profile) continue;
    const layers = (Object.hasOwn(config.profileLayers, name) && config.profileLayers[name]) || [];
    const own = mergeOptions(layers.map(({ options }) => options));
    const holds = mergeOptions([defaults, own]);
    const looser = trusted ? [] : findLoosenedOptions(holds, profile, defined);
    for (const [field, problem] of looser) config.issues.push(issueAt(document, ['profiles', name, field], problem));
    if (looser.length > 0) continue;
    const { line } = issueAt(document, ['profiles', name], '');
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
  const problem = `has ${entries.length} entries; only the first ${ENTRY_LIMIT} are used`;
  config.issues.push(issueAt(document, [key], problem));
  return entries.slice(0, ENTRY_LIMIT);
}
