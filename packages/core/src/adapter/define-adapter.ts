import type { AgentAdapter, AgentMode, SpawnArgs } from '../contract/adapter.ts';
import type { AgentCapabilities } from '../contract/capabilities.ts';
import { CapabilityError, type Fault, ValidationError } from '../contract/errors.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import { mayRetry } from '../contract/retry.ts';
import type { AgentConfig, AgentConfigSchema, AuthSetupGuidance, AuthState } from '../contract/surroundings.ts';
import { findNearNames } from '../near-names.ts';
import type { AuthCheck } from './auth-checks.ts';
import {
  detectLogin,
  listStoredSessions,
  readConfigFiles,
  readStoredSession,
  sessionRoot,
  tellExit,
  tellSpawnError,
  tellTimeout,
  UNKNOWN_CONFIG,
  writeConfigFiles,
} from './defaults.ts';

/** How a run is started. What is left out: the agent's command, no variables, the folder of the run, no terminal. */
export type Launch = Pick<SpawnArgs, 'args'> & Partial<SpawnArgs>;

/** What a sheet says in other words than the contract, since the rest of it follows. */
type Reworded =
  | 'capabilities'
  | 'modes'
  | 'configSchema'
  | 'buildSpawnArgs'
  | 'parseEvent'
  | 'detectAuth'
  | 'getAuthGuidance';

/** What the contract asks of every adapter, and a sheet says only where it knows better. */
type Answered = 'models' | 'sessionDir' | 'parseSessionFile' | 'listSessionFiles' | 'readConfig' | 'writeConfig';

/** The ways of driving the agent, best first; or, for an agent with one process per turn, only what it can do. */
type Abilities =
  | { modes: readonly AgentMode[]; capabilities?: AgentCapabilities }
  | { capabilities: AgentCapabilities; modes?: undefined };

/** An agent's fact sheet: what it is, as data and in the words of the contract, and a few pure functions. */
export type AdapterSheet = Omit<AgentAdapter, Reworded | Answered> &
  Partial<Pick<AgentAdapter, Answered>> &
  Abilities & {
    /** Whose it is need not be said. */
    readonly configSchema?: Omit<AgentConfigSchema, 'agent'>;
    /** What a login looks like on this machine; the first that is found decides. */
    readonly authChecks?: readonly AuthCheck[];
    readonly authGuidance?: Omit<AuthSetupGuidance, 'agent'>;
    /** The modes that have permission modes of their own; in any other they are refused. Absent: `launch` sees to it. */
    readonly nativeModes?: readonly string[];
    /** For the mode in `options.mode`; `env` as `buildSpawnArgs` has it. Throws CapabilityError or ValidationError. */
    launch(options: ResolvedRunOptions, env: Readonly<NodeJS.ProcessEnv>): Launch;
    /** One line of a one-shot process, or of any process's stderr. Absent: nothing there is of use. */
    parse?: AgentAdapter['parseEvent'];
    /** Where the checks do not say all. `checked` gives what they say. */
    detectAuth?(env: NodeJS.ProcessEnv, checked: () => Promise<AuthState>): Promise<AuthState>;
  };

export interface DefinedAdapter extends AgentAdapter {
  /** What it was made from. Another agent of the same kind is this sheet with a few lines changed. */
  readonly sheet: AdapterSheet;
  writeConfig(config: Partial<AgentConfig>, cwd?: string, env?: NodeJS.ProcessEnv): Promise<void>;
}

/** The adapter of a sheet. What the sheet leaves open follows from its data, or is answered honestly: it is not known. */
export function defineAdapter(sheet: AdapterSheet): DefinedAdapter {
  const { agent, displayName, cliCommand } = sheet;
  const capabilities = sheet.capabilities ?? sheet.modes?.[0]?.capabilities;
  const faults = sheetFaults(sheet);
  if (!capabilities || faults.length > 0) throw new ValidationError(`sheet of the agent "${agent}"`, faults, { agent });
  const { launch, parse, authChecks = [], authGuidance, nativeModes, detectAuth, ...said } = sheet;
  const configSchema: AgentConfigSchema = { ...UNKNOWN_CONFIG, ...sheet.configSchema, agent };
  return {
    onSpawnError: (error) => tellSpawnError(displayName, error),
    onTimeout: (kind) => tellTimeout(displayName, kind),
    onProcessExit: (exitCode, signal) => tellExit(displayName, exitCode, signal),
    shouldRetry: mayRetry,
    ...said,
    sheet,
    capabilities,
    models: sheet.models ?? [],
    configSchema,
    buildSpawnArgs(options, env = {}) {
      if (nativeModes) refuseNativeMode(sheet, nativeModes, options);
      return { command: cliCommand, env: {}, cwd: options.cwd, usePty: false, ...launch.call(sheet, options, env) };
    },
    parseEvent: parse ?? (() => null),
    async detectAuth(env = process.env) {
      const checked = () => detectLogin(authChecks, configSchema, env);
      return detectAuth ? detectAuth.call(sheet, env, checked) : checked();
    },
    getAuthGuidance: () => ({ agent, steps: [], methods: [], ...authGuidance }),
    sessionDir: sheet.sessionDir ?? (() => sessionRoot(sheet)),
    listSessionFiles: sheet.listSessionFiles ?? listStoredSessions,
    parseSessionFile: sheet.parseSessionFile ?? readStoredSession,
    readConfig: sheet.readConfig ?? readConfigFiles,
    writeConfig: sheet.writeConfig ?? writeConfigFiles,
  };
}

function refuseNativeMode(
  { agent, displayName }: AdapterSheet,
  nativeModes: readonly string[],
  { mode, nativePermissionMode }: ResolvedRunOptions,
): void {
  if (nativePermissionMode === undefined || nativeModes.includes(mode)) return;
  const where = nativeModes.length === 0 ? '' : ` in mode "${mode}"`;
  const message = `${displayName} has no permission modes of its own${where} (option nativePermissionMode)`;
  throw new CapabilityError(agent, 'nativePermissionMode', message);
}

/** Every name that a sheet may have, so that one that is none does not pass in silence. */
const MEMBERS: { readonly [Name in keyof Required<AdapterSheet>]: true } = {
  agent: true,
  displayName: true,
  cliCommand: true,
  minVersion: true,
  provenVersions: true,
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
  fillOptions: true,
  beforeSpawn: true,
  launch: true,
  parse: true,
  parseEnd: true,
  onSpawnError: true,
  onTimeout: true,
  onProcessExit: true,
  shouldRetry: true,
};

/** What concerns the sheet alone; what its adapter must keep to is checked when it is registered. */
function sheetFaults(sheet: AdapterSheet): Fault[] {
  const faults: Fault[] = [];
  for (const name of Object.keys(sheet)) {
    if (Object.hasOwn(MEMBERS, name)) continue;
    const [near] = findNearNames(name, Object.keys(MEMBERS));
    faults.push({ field: name, problem: `is not known in a sheet${near ? `; did you mean ${near}?` : ''}` });
  }
  if (typeof sheet.launch !== 'function') faults.push({ field: 'launch', problem: 'must be a function' });
  if (sheet.parse !== undefined && typeof sheet.parse !== 'function') {
    faults.push({ field: 'parse', problem: 'must be a function where it is given' });
  }
  if (!sheet.capabilities && !sheet.modes?.[0]?.capabilities) {
    faults.push({
      field: 'modes',
      problem: 'must be a list of modes with capabilities, unless capabilities are given',
    });
  }
  return faults;
}
