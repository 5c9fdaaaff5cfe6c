import {
  type AgentConfigSchema,
  type AgentMode,
  type AuthCheck,
  type AuthMethod,
  BaseAgentAdapter,
  CapabilityError,
  type EventBody,
  type ExtensionFolders,
  type InstallMethod,
  type ModelCapabilities,
  type ParseContext,
  type ResolvedRunOptions,
  type SessionStore,
  type SpawnArgs,
  type ToolKindTable,
} from '@agent-mux/core';

/** What a launch adds to the command and the folder. */
export type Launch = Pick<SpawnArgs, 'args'> & Partial<Pick<SpawnArgs, 'command' | 'env' | 'stdin' | 'files'>>;

/** An agent as its public documents describe it; nothing in it was seen on the CLI itself. */
export interface AgentSheet {
  agent: string;
  displayName: string;
  cliCommand: string;
  /** The documents, by name, that every flag and field below is from. */
  documentedBy: readonly string[];
  modes: readonly AgentMode[];
  /** Of agents that do not say themselves what a tool does, as those over ACP do. */
  toolKinds?: ToolKindTable;
  /** The modes that have permission modes of their own. */
  nativeModes?: readonly string[];
  install: readonly InstallMethod[];
  env: readonly string[];
  hostSignals?: readonly string[];
  login: { checks: readonly AuthCheck[]; steps: readonly string[]; methods: readonly AuthMethod[]; docsUrl?: string };
  /** The first is the one that the CLI takes by itself. */
  models?: readonly ModelCapabilities[];
  config?: AgentConfigSchema;
  sessions?: SessionStore;
  extensions?: ExtensionFolders;
  launch(options: ResolvedRunOptions): Launch;
  /** One line of a mode with a process per turn. */
  parse?(line: string, context: ParseContext): EventBody[] | null;
}

const UNKNOWN_CONFIG = { fields: [], configFilePaths: [], projectConfigFilePaths: [] };

/** The adapter of an agent that is known from its documents only. */
export class DocumentedAdapter extends BaseAgentAdapter {
  readonly #sheet: AgentSheet;
  readonly agent: string;
  readonly displayName: string;
  readonly cliCommand: string;
  override readonly documentedBy: readonly string[];
  override readonly modes: readonly AgentMode[];
  override readonly toolKinds?: ToolKindTable;
  override readonly installMethods: readonly InstallMethod[];
  override readonly envAllowList: readonly string[];
  override readonly hostEnvSignals: readonly string[];
  protected override readonly authChecks: readonly AuthCheck[];
  protected override readonly authGuidance: Omit<AgentSheet['login'], 'checks'>;
  override readonly models: readonly ModelCapabilities[];
  override readonly defaultModelId?: string;
  override readonly configSchema: AgentConfigSchema;
  override readonly sessionStore?: SessionStore;
  override readonly extensionFolders?: ExtensionFolders;

  constructor(sheet: AgentSheet) {
    super();
    this.#sheet = sheet;
    this.agent = sheet.agent;
    this.displayName = sheet.displayName;
    this.cliCommand = sheet.cliCommand;
    this.documentedBy = sheet.documentedBy;
    this.modes = sheet.modes;
    this.toolKinds = sheet.toolKinds;
    this.installMethods = sheet.install;
    this.envAllowList = sheet.env;
    this.hostEnvSignals = sheet.hostSignals ?? [];
    const { checks, ...guidance } = sheet.login;
    this.authChecks = checks;
    this.authGuidance = guidance;
    this.models = sheet.models ?? [];
    this.defaultModelId = this.models[0]?.id;
    this.configSchema = sheet.config ?? { ...UNKNOWN_CONFIG, agent: sheet.agent };
    this.sessionStore = sheet.sessions;
    this.extensionFolders = sheet.extensions;
  }

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    if (options.nativePermissionMode !== undefined && !this.#sheet.nativeModes?.includes(options.mode)) {
      const message = `${this.displayName} has no permission modes of its own in mode "${options.mode}"`;
      throw new CapabilityError(this.agent, 'nativePermissionMode', message);
    }
    return {
      command: this.cliCommand,
      env: {},
      ...this.#sheet.launch(options),
      cwd: options.cwd,
      usePty: false,
    };
  }

  /** Over ACP only stderr comes here, and no document says what stands there. */
  parseEvent(line: string, context: ParseContext): EventBody[] | null {
    return context.source === 'stdout' ? (this.#sheet.parse?.(line, context) ?? null) : null;
  }
}
