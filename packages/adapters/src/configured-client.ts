import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import {
  type AdapterProblem,
  type AgentAdapter,
  AgentMuxError,
  type ApprovalPolicy,
  Client,
  type ClientOptions,
  type ConfigIssue,
  type LoadedConfig,
  type LoadedDefinition,
  limitIssues,
  loadAdapters,
  loadConfig,
  mergeProfiles,
  PolicyStore,
  type RunOptions,
  type SelfState,
} from '@agent-mux/core';
import { BUILT_IN_MANIFESTS } from './catalog.ts';
import type { DefinedAdapters } from './generic/definitions.ts';

const require = createRequire(import.meta.url);

export interface ConfiguredClientOptions extends ClientOptions {
  /** Where to look for the project's configuration file; defaults to the current folder. */
  cwd?: string;
  /**
   * Allows agent definitions and adapters of the project's file, which run commands and code of its author. Default:
   * refused.
   */
  trustProject?: boolean;
  /** Registered after the built-in ones; the last one with a name wins. */
  adapters?: readonly AgentAdapter[];
  /**
   * Which rules of the configuration files and remembered answers apply before a person is asked. Default `all`.
   * `tighten`: only those that ask or deny. `none`: no rules. `policy` replaces them.
   */
  rules?: 'all' | 'tighten' | 'none';
}

/** An agent that only an untrusted project file defines. */
export type UntrustedAgent = Pick<LoadedDefinition, 'id' | 'file' | 'line'>;

/** A client with every built-in adapter, and the agents and profiles of the configuration files. */
export function createConfiguredClient(options: ConfiguredClientOptions = {}): ConfiguredClient {
  const { cwd, env, defaults, retryPolicy } = options;
  const holds = { ...defaults, ...(retryPolicy ? { retryPolicy } : {}) };
  return new ConfiguredClient(options, loadConfig({ cwd, env, defaults: holds }));
}

export class ConfiguredClient extends Client {
  /** The files that were read, the user's first. */
  readonly configFiles: readonly string[];
  /** Errors in the files. The valid rest applies. */
  readonly configIssues: readonly ConfigIssue[];
  /** The adapters that they name and that failed to load. The others are available. */
  readonly adapterProblems: readonly AdapterProblem[];
  /** Definitions of an untrusted project file, which are not used. */
  readonly untrusted: readonly UntrustedAgent[];
  /** Agents with an invalid definition, with their issues. A built-in agent of that name is refused too. */
  readonly invalidAgents: ReadonlyMap<string, readonly ConfigIssue[]>;
  /** Rules of the files and remembered answers; undefined: none of them applies. */
  readonly rules: PolicyStore | undefined;
  /** Run profiles by name: of the files and of the options, merged. */
  readonly profiles: Readonly<Record<string, Partial<RunOptions>>>;

  constructor(options: ConfiguredClientOptions, config: LoadedConfig) {
    const { adapters = [], profiles, trustProject = false, rules = 'all', ...rest } = options;
    const all = mergeProfiles([config.profiles, profiles ?? {}]);
    const book = rules === 'none' || rest.policy ? undefined : new PolicyStore({ env: rest.env });
    const policy = rest.policy ?? (book && policyOf(book, trustProject, rules === 'tighten'));
    super({ ...rest, ...(policy ? { policy } : {}), adapters: [...BUILT_IN_MANIFESTS, ...adapters], profiles: all });
    this.rules = book;
    const taken = (agent: string) => this.adapters.has(agent);
    const named = loadAdapters(config.adapters, { trustProject, taken, env: rest.env });
    for (const adapter of named.adapters) this.adapters.register(adapter);
    this.adapterProblems = named.problems;
    const usable = config.definitions.filter(({ trusted }) => trusted || trustProject);
    const defined = readDefinitions(usable, rest.env);
    for (const adapter of defined.adapters) this.adapters.register(adapter, originOf(adapter, usable));
    // A built-in agent of that name would run without the permissions of the definition.
    this.invalidAgents = defined.invalid;
    for (const [agent, issues] of defined.invalid) this.adapters.refuse(agent, invalidAgent(agent, issues));
    this.profiles = all;
    this.configFiles = config.files;
    const place = { cwd: options.cwd ?? process.cwd(), trustProject };
    const ofRules = config.files.length === 0 ? [] : (book?.overview(place).issues ?? []);
    const isNew = (issue: ConfigIssue) => !config.issues.some((known) => isDeepStrictEqual(known, issue));
    this.configIssues = limitIssues([...config.issues, ...ofRules.filter(isNew), ...defined.issues]);
    this.untrusted = config.definitions
      .filter((definition) => !usable.includes(definition))
      .map(({ id, file, line }) => ({ id, file, line }));
    for (const one of this.untrusted) if (!taken(one.id)) this.adapters.refuse(one.id, untrustedAgent(one));
  }

  protected override ownState(): SelfState {
    const { configFiles, configIssues, adapterProblems, untrusted } = this;
    return { configFiles, configIssues, adapterProblems, untrusted };
  }

  /** Throws UNKNOWN_AGENT, or the reason why its definition cannot be used. */
  adapterNamed(agent: string): AgentAdapter {
    return this.adapters.get(agent);
  }
}

/** Read again for each request, so that a new rule applies at once. */
function policyOf(book: PolicyStore, trustProject: boolean, isTightOnly: boolean): ApprovalPolicy {
  return {
    answer(request, { agent, cwd, runId, isLocal }) {
      const given = book.answer({ request, agent, cwd, isLocal, session: runId }, trustProject);
      return isTightOnly && given?.answer.decision === 'allow' ? undefined : given;
    },
  };
}

/** Their profiles and schemas are loaded only if there is a definition. */
function readDefinitions(
  definitions: readonly LoadedDefinition[],
  env: NodeJS.ProcessEnv | undefined,
): DefinedAdapters {
  if (definitions.length === 0) return { adapters: [], issues: [], invalid: new Map() };
  const profiles: typeof import('#definitions') = require('#definitions');
  return profiles.readDefinitions(definitions, env);
}

/** A trusted project may define an agent with the name of a built-in one; the label keeps them apart. */
function originOf({ agent }: AgentAdapter, definitions: readonly LoadedDefinition[]): string | undefined {
  const definition = definitions.find(({ id }) => id === agent);
  if (!definition) return undefined;
  const whose = definition.trusted ? 'your configuration' : "the project's own file";
  return `one that ${whose} defines (${definition.file}, line ${definition.line})`;
}

function invalidAgent(agent: string, issues: readonly ConfigIssue[]): AgentMuxError {
  const [first] = issues;
  const lines = issues.map(({ line, column, field, problem }) => `line ${line}:${column}: ${field} ${problem}`);
  return new AgentMuxError('CONFIG_ERROR', `the definition of agent "${agent}" is invalid: ${lines.join('; ')}`, {
    agent,
    hint: `fix ${first?.file}, line ${first?.line}`,
  });
}

function untrustedAgent({ id, file, line }: UntrustedAgent): AgentMuxError {
  return new AgentMuxError(
    'CONFIG_ERROR',
    `agent "${id}" is defined in the untrusted project file ${file} (line ${line}) and would run its commands`,
    { agent: id, hint: 'review the file, then pass --trust-project (SDK: trustProject: true)' },
  );
}
