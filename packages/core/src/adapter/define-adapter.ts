import type { AgentAdapter, AgentMode, SpawnArgs } from '../contract/adapter.ts';
import type { AgentConfig, AgentConfigSchema, AuthSetupGuidance, AuthState } from '../contract/auth-and-config.ts';
import type { AgentCapabilities } from '../contract/capabilities.ts';
import { CapabilityError, ValidationError, type ValidationIssue } from '../contract/errors.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import { mayRetry } from '../contract/retry.ts';
import { suggestNames } from '../suggest-names.ts';
import type { AuthCheck } from './auth-checks.ts';
import {
  detectLogin,
  exitEvents,
  listStoredSessions,
  readConfigFiles,
  readStoredSession,
  sessionRoot,
  spawnErrorEvent,
  timeoutEvent,
  UNKNOWN_CONFIG,
  writeConfigFiles,
} from './defaults.ts';

/** How a run is started. Defaults: the agent's command, no variables, the folder of the run, no terminal. */
export type LaunchArgs = Pick<SpawnArgs, 'args'> & Partial<SpawnArgs>;

/** Members that a spec replaces with simpler ones. */
type Simplified =
  | 'capabilities'
  | 'modes'
  | 'configSchema'
  | 'buildSpawnArgs'
  | 'parseEvent'
  | 'detectAuth'
  | 'getAuthGuidance';

/** Members required by the contract and optional in a spec. */
type Defaulted = 'models' | 'sessionDir' | 'parseSessionFile' | 'listSessionFiles' | 'readConfig' | 'writeConfig';

/** The modes of the agent, best first; or just its capabilities, for an agent with one process per turn. */
type Abilities =
  | { modes: readonly AgentMode[]; capabilities?: AgentCapabilities }
  | { capabilities: AgentCapabilities; modes?: undefined };

/** Description of an agent: data in the format of the contract and a few pure functions. */
export type AdapterSpec = Omit<AgentAdapter, Simplified | Defaulted> &
  Partial<Pick<AgentAdapter, Defaulted>> &
  Abilities & {
    /** The agent name is added automatically. */
    readonly configSchema?: Omit<AgentConfigSchema, 'agent'>;
    /** Signs of a login on this machine; the first match decides. */
    readonly authChecks?: readonly AuthCheck[];
    readonly authGuidance?: Omit<AuthSetupGuidance, 'agent'>;
    /** Modes with native permission modes; in any other they are rejected. Absent: `launch` handles them. */
    readonly nativeModes?: readonly string[];
    /**
     * Builds the launch for the mode in `options.mode`; `env` as for `buildSpawnArgs`. Throws CapabilityError or
     * ValidationError.
     */
    launch(options: ResolvedRunOptions, env: Readonly<NodeJS.ProcessEnv>): LaunchArgs;
    /** Decodes one line of a one-shot process, or of any process's stderr. Absent: lines are ignored. */
    parse?: AgentAdapter['parseEvent'];
    /** Overrides the login checks. `checked` returns their result. */
    detectAuth?(env: NodeJS.ProcessEnv, checked: () => Promise<AuthState>): Promise<AuthState>;
  };

export interface DefinedAdapter extends AgentAdapter {
  /** The spec the adapter was created from. A similar agent can spread it and change a few fields. */
  readonly spec: AdapterSpec;
  writeConfig(config: Partial<AgentConfig>, cwd?: string, env?: NodeJS.ProcessEnv): Promise<void>;
}

/** Creates an adapter from a spec. Missing members are derived from its data or report that they are unknown. */
export function defineAdapter(spec: AdapterSpec): DefinedAdapter {
  const { agent, displayName, cliCommand } = spec;
  const capabilities = spec.capabilities ?? spec.modes?.[0]?.capabilities;
  const issues = specIssues(spec);
  if (!capabilities || issues.length > 0) throw new ValidationError(`spec of the agent "${agent}"`, issues, { agent });
  const { launch, parse, authChecks = [], authGuidance, nativeModes, detectAuth, ...said } = spec;
  const configSchema: AgentConfigSchema = { ...UNKNOWN_CONFIG, ...spec.configSchema, agent };
  return {
    onSpawnError: (error) => spawnErrorEvent(displayName, error),
    onTimeout: (kind) => timeoutEvent(displayName, kind),
    onProcessExit: (exitCode, signal) => exitEvents(displayName, exitCode, signal),
    shouldRetry: mayRetry,
    ...said,
    spec,
    capabilities,
    models: spec.models ?? [],
    configSchema,
    buildSpawnArgs(options, env = {}) {
      if (nativeModes) refuseNativeMode(spec, nativeModes, options);
      return { command: cliCommand, env: {}, cwd: options.cwd, usePty: false, ...launch.call(spec, options, env) };
    },
    parseEvent: parse ?? (() => null),
    async detectAuth(env = process.env) {
      const checked = () => detectLogin(authChecks, configSchema, env);
      return detectAuth ? detectAuth.call(spec, env, checked) : checked();
    },
    getAuthGuidance: () => ({ agent, steps: [], methods: [], ...authGuidance }),
    sessionDir: spec.sessionDir ?? (() => sessionRoot(spec)),
    listSessionFiles: spec.listSessionFiles ?? listStoredSessions,
    parseSessionFile: spec.parseSessionFile ?? readStoredSession,
    readConfig: spec.readConfig ?? readConfigFiles,
    writeConfig: spec.writeConfig ?? writeConfigFiles,
  };
}

function refuseNativeMode(
  { agent, displayName }: AdapterSpec,
  nativeModes: readonly string[],
  { mode, nativePermissionMode }: ResolvedRunOptions,
): void {
  if (nativePermissionMode === undefined || nativeModes.includes(mode)) return;
  const where = nativeModes.length === 0 ? '' : ` in mode "${mode}"`;
  const message = `${displayName} has no native permission modes${where} (option nativePermissionMode)`;
  throw new CapabilityError(agent, 'nativePermissionMode', message);
}

/** Every known member of a spec, so that unknown ones are rejected. */
const MEMBERS: { readonly [Name in keyof Required<AdapterSpec>]: true } = {
  agent: true,
  displayName: true,
  cliCommand: true,
  minVersion: true,
  verifiedVersions: true,
  documentedBy: true,
  capabilities: true,
  modes: true,
  nativeModes: true,
  toolKinds: true,
  models: true,
  defaultModelId: true,
  modelQuery: true,
  quotaQuery: true,
  installMethods: true,
  needsNoInstall: true,
  versionArgs: true,
  detectInstallation: true,
  install: true,
  update: true,
  envAllowList: true,
  hostEnvSignals: true,
  authChecks: true,
  authGuidance: true,
  detectAuth: true,
  configSchema: true,
  readConfig: true,
  writeConfig: true,
  sessionStore: true,
  sessionDir: true,
  listSessionFiles: true,
  parseSessionFile: true,
  plugins: true,
  hooks: true,
  terminal: true,
  listPlugins: true,
  installPlugin: true,
  uninstallPlugin: true,
  searchPlugins: true,
  extensionFolders: true,
  initialize: true,
  applyDefaults: true,
  beforeSpawn: true,
  launch: true,
  parse: true,
  parseEnd: true,
  onSpawnError: true,
  onTimeout: true,
  onProcessExit: true,
  shouldRetry: true,
};

/** Checks only the spec; the resulting adapter is validated when it is registered. */
function specIssues(spec: AdapterSpec): ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  for (const name of Object.keys(spec)) {
    if (Object.hasOwn(MEMBERS, name)) continue;
    const [near] = suggestNames(name, Object.keys(MEMBERS));
    issues.push({ field: name, problem: `is not a known field of a spec${near ? `; did you mean ${near}?` : ''}` });
  }
  if (typeof spec.launch !== 'function') issues.push({ field: 'launch', problem: 'must be a function' });
  if (spec.parse !== undefined && typeof spec.parse !== 'function') {
    issues.push({ field: 'parse', problem: 'must be a function if present' });
  }
  if (!spec.capabilities && !spec.modes?.[0]?.capabilities) {
    issues.push({
      field: 'modes',
      problem: 'must be a list of modes with capabilities, unless capabilities are set',
    });
  }
  return issues;
}
