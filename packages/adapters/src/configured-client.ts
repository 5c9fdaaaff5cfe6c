import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import {
  type AdapterProblem,
  type AgentAdapter,
  AgentMuxError,
  type ApprovalPolicy,
  Client,
  type ClientOptions,
  type ConfigFault,
  type LoadedConfig,
  type LoadedDefinition,
  loadAdapters,
  loadConfig,
  mergeProfiles,
  type OwnState,
  PolicyBook,
  type RunOptions,
  takeFirstFaults,
} from '@agent-mux/core';
import { BUILT_IN_CARDS } from './catalogue.ts';
import type { DefinedAdapters } from './generic/definitions.ts';

const require = createRequire(import.meta.url);

export interface ConfiguredClientOptions extends ClientOptions {
  /** Where the project's configuration file is looked for; default the current folder. */
  cwd?: string;
  /** What a project's file defines runs commands, and what it names as adapters runs code, of whoever wrote it. Default: refused. */
  trustProject?: boolean;
  /** Registered after the built-in ones; the last of a name wins. */
  adapters?: readonly AgentAdapter[];
  /**
   * Which rules of the configuration files, and answers that were remembered, decide before a person is asked. Default `all`.
   * `tighten`: those alone that ask or deny. `none`: no rules. What `policy` brings stands in their place.
   */
  rules?: 'all' | 'tighten' | 'none';
}

/** An agent that only a project's file defines, and nobody has agreed to. */
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
  /** What is wrong in them. The rest of them counts. */
  readonly configFaults: readonly ConfigFault[];
  /** The adapters that they name and that could not be loaded. The others are there. */
  readonly adapterProblems: readonly AdapterProblem[];
  /** What only a project's file defines, which is not used unless it is trusted. */
  readonly untrusted: readonly UntrustedAgent[];
  /** The agents that a file defines, but not rightly: what is wrong with each. A built-in one of that name is refused too. */
  readonly faultyAgents: ReadonlyMap<string, readonly ConfigFault[]>;
  /** The rules of the files and what was remembered; undefined: none of them decides. */
  readonly rules: PolicyBook | undefined;
  /** Run profiles by name: of the files and of the options, merged. */
  readonly profiles: Readonly<Record<string, Partial<RunOptions>>>;

  constructor(options: ConfiguredClientOptions, config: LoadedConfig) {
    const { adapters = [], profiles, trustProject = false, rules = 'all', ...rest } = options;
    const all = mergeProfiles([config.profiles, profiles ?? {}]);
    const book = rules === 'none' || rest.policy ? undefined : new PolicyBook({ env: rest.env });
    const policy = rest.policy ?? (book && policyOf(book, trustProject, rules === 'tighten'));
    super({ ...rest, ...(policy ? { policy } : {}), adapters: [...BUILT_IN_CARDS, ...adapters], profiles: all });
    this.rules = book;
    const taken = (agent: string) => this.adapters.has(agent);
    const named = loadAdapters(config.adapters, { trustProject, taken, env: rest.env });
    for (const adapter of named.adapters) this.adapters.register(adapter);
    this.adapterProblems = named.problems;
    const usable = config.definitions.filter(({ trusted }) => trusted || trustProject);
    const defined = readDefinitions(usable, rest.env);
    for (const adapter of defined.adapters) this.adapters.register(adapter, originOf(adapter, usable));
    // A built-in one of that name would run without what the definition says of permissions.
    this.faultyAgents = defined.faulty;
    for (const [agent, faults] of defined.faulty) this.adapters.refuse(agent, faultyAgent(agent, faults));
    this.profiles = all;
    this.configFiles = config.files;
    const place = { cwd: options.cwd ?? process.cwd(), trustProject };
    const ofRules = config.files.length === 0 ? [] : (book?.overview(place).faults ?? []);
    const isNew = (fault: ConfigFault) => !config.faults.some((known) => isDeepStrictEqual(known, fault));
    this.configFaults = takeFirstFaults([...config.faults, ...ofRules.filter(isNew), ...defined.faults]);
    this.untrusted = config.definitions
      .filter((definition) => !usable.includes(definition))
      .map(({ id, file, line }) => ({ id, file, line }));
    for (const one of this.untrusted) if (!taken(one.id)) this.adapters.refuse(one.id, untrustedAgent(one));
  }

  protected override ownState(): OwnState {
    const { configFiles, configFaults, adapterProblems, untrusted } = this;
    return { configFiles, configFaults, adapterProblems, untrusted };
  }

  /** Throws UNKNOWN_AGENT, or what keeps its definition from being used. */
  adapterNamed(agent: string): AgentAdapter {
    return this.adapters.get(agent);
  }
}

/** Read anew for each request: a rule that was just written counts. */
function policyOf(book: PolicyBook, trustProject: boolean, isTightOnly: boolean): ApprovalPolicy {
  return {
    answer(request, { agent, cwd, runId, isLocal }) {
      const given = book.answer({ request, agent, cwd, isLocal, session: runId }, trustProject);
      return isTightOnly && given?.answer.decision === 'allow' ? undefined : given;
    },
  };
}

/** Their profiles and schemas are loaded where there is a definition, and only then. */
function readDefinitions(
  definitions: readonly LoadedDefinition[],
  env: NodeJS.ProcessEnv | undefined,
): DefinedAdapters {
  if (definitions.length === 0) return { adapters: [], faults: [], faulty: new Map() };
  const profiles: typeof import('#definitions') = require('#definitions');
  return profiles.readDefinitions(definitions, env);
}

/** A trusted project may bring an agent of the name of a built-in one; nobody is to take the one for the other. */
function originOf({ agent }: AgentAdapter, definitions: readonly LoadedDefinition[]): string | undefined {
  const definition = definitions.find(({ id }) => id === agent);
  if (!definition) return undefined;
  const whose = definition.trusted ? 'your configuration' : "the project's own file";
  return `one that ${whose} defines (${definition.file}, line ${definition.line})`;
}

function faultyAgent(agent: string, faults: readonly ConfigFault[]): AgentMuxError {
  const [first] = faults;
  const told = faults.map(({ line, column, field, problem }) => `line ${line}:${column}: ${field} ${problem}`);
  return new AgentMuxError('CONFIG_ERROR', `the definition of agent "${agent}" is faulty: ${told.join('; ')}`, {
    agent,
    hint: `mend ${first?.file}, line ${first?.line}`,
  });
}

function untrustedAgent({ id, file, line }: UntrustedAgent): AgentMuxError {
  return new AgentMuxError(
    'CONFIG_ERROR',
    `agent "${id}" comes from the project's own file ${file} (line ${line}), which is not trusted: it would run the project's commands`,
    { agent: id, hint: 'read that file; if you agree with it, pass --trust-project (SDK: trustProject: true)' },
  );
}
