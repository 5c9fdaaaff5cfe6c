import type { AgentAdapter, AgentMode, AgentName, ParseContext, SpawnArgs } from '../contract/adapter.ts';
import { StreamAssembler } from '../contract/assembler.ts';
import type { AgentCapabilities, ModelCapabilities } from '../contract/capabilities.ts';
import { AgentMuxError } from '../contract/errors.ts';
import type { EventBody, TimeoutKind } from '../contract/events.ts';
import type { ResolvedRunOptions, RetryPolicy } from '../contract/options.ts';
import type { PluginContext } from '../contract/plugin-context.ts';
import { mayRetry } from '../contract/retry.ts';
import type { Session } from '../contract/sessions.ts';
import type { AgentConfig, AgentConfigSchema, AuthSetupGuidance, AuthState } from '../contract/surroundings.ts';
import { type CostRecord, readCostRecord } from '../contract/usage.ts';
import type { AuthCheck } from './auth-checks.ts';
import {
  detectLogin,
  listStoredSessions,
  parseJsonLine,
  readConfigFiles,
  readStoredSession,
  sessionRoot,
  tellExit,
  tellSpawnError,
  tellTimeout,
  UNKNOWN_CONFIG,
  writeConfigFiles,
} from './defaults.ts';

/** Not a field: an adapter may be frozen. */
const contexts = new WeakMap<BaseAgentAdapter, PluginContext>();

/** What an adapter may say of itself, as a field or a getter. */
type OptionalData = Pick<
  AgentAdapter,
  | 'minVersion'
  | 'provenVersions'
  | 'documentedBy'
  | 'modes'
  | 'toolKinds'
  | 'defaultModelId'
  | 'installMethods'
  | 'envAllowList'
  | 'hostEnvSignals'
  | 'needsNoInstall'
  | 'versionArgs'
  | 'sessionStore'
  | 'modelQuery'
  | 'quotaQuery'
  | 'plugins'
  | 'hooks'
  | 'terminal'
  | 'extensionFolders'
>;

/** Declared here and not in the class, so that an adapter may override them by fields and by getters alike. */
export interface BaseAgentAdapter extends OptionalData {
  /** Of the first mode, unless the adapter says it itself. */
  readonly capabilities: AgentCapabilities;
  readonly models: readonly ModelCapabilities[];
  readonly configSchema: AgentConfigSchema;
  /** Of `sessionStore`, or every file below `sessionDir`. */
  listSessionFiles(cwd?: string): Promise<string[]>;
  parseSessionFile(filePath: string): Promise<Session>;
  /** Of the files that `configSchema` names. */
  readConfig(cwd?: string, env?: NodeJS.ProcessEnv): Promise<AgentConfig>;
  writeConfig(config: Partial<AgentConfig>, cwd?: string, env?: NodeJS.ProcessEnv): Promise<void>;
}

/**
 * What adapters have in common. The least that one must say: agent, displayName, cliCommand, capabilities (or modes),
 * buildSpawnArgs and parseEvent. The rest follows from data, or answers honestly that it is not known.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the getters below the class provide what the interface declares
export abstract class BaseAgentAdapter implements AgentAdapter {
  abstract readonly agent: AgentName;
  abstract readonly displayName: string;
  abstract readonly cliCommand: string;

  /** Logger and state store. An adapter that overrides it calls `super.initialize(context)` first. */
  initialize(context: PluginContext): void | Promise<void> {
    contexts.set(this, context);
  }

  /** Of the client that registered this adapter last. Throws before that. */
  protected get context(): PluginContext {
    const context = contexts.get(this);
    if (context) return context;
    throw new AgentMuxError('ADAPTER_ERROR', `the adapter "${this.agent}" has no context yet: it is not registered`, {
      agent: this.agent,
    });
  }

  fillOptions(options: ResolvedRunOptions): ResolvedRunOptions {
    return options;
  }

  abstract buildSpawnArgs(options: ResolvedRunOptions, env?: Readonly<NodeJS.ProcessEnv>): SpawnArgs;
  abstract parseEvent(line: string, context: ParseContext): EventBody | EventBody[] | null;

  /** What a login looks like on this machine; the first that is found decides. */
  protected readonly authChecks: readonly AuthCheck[] = [];
  protected readonly authGuidance: Omit<AuthSetupGuidance, 'agent'> = { steps: [], methods: [] };
  /** Of the adapter, not of a run: decoders use `ParseContext.assembler`, since one adapter serves many runs at once. */
  protected readonly streamAssembler: StreamAssembler = new StreamAssembler();

  async detectAuth(env: NodeJS.ProcessEnv = process.env): Promise<AuthState> {
    return detectLogin(this.authChecks, this.configSchema, env);
  }

  getAuthGuidance(): AuthSetupGuidance {
    return { agent: this.agent, ...this.authGuidance };
  }

  sessionDir(_cwd?: string): string {
    return sessionRoot(this);
  }

  onSpawnError(error: Error): EventBody {
    return tellSpawnError(this.displayName, error);
  }

  onTimeout(kind?: TimeoutKind): EventBody {
    return tellTimeout(this.displayName, kind);
  }

  onProcessExit(exitCode: number | null, signal: string | null): EventBody[] {
    return tellExit(this.displayName, exitCode, signal);
  }

  shouldRetry(event: EventBody, attempt: number, policy: RetryPolicy): boolean {
    return mayRetry(event, attempt, policy);
  }

  protected parseJsonLine(line: string): unknown {
    return parseJsonLine(line);
  }

  protected assembleCostRecord(raw: unknown): CostRecord | null {
    return readCostRecord(raw);
  }

  protected async detectVersionFromCli(hostEnv: NodeJS.ProcessEnv = process.env): Promise<string | null> {
    const { buildChildEnv } = await import('../env/child-env.ts');
    const { lookupBinary } = await import('../binaries/lookup-binary.ts');
    const { readVersion } = await import('../binaries/version.ts');
    const command = await lookupBinary(this.cliCommand, { env: hostEnv });
    if (command === null) return null;
    const env = buildChildEnv({ hostEnv, envAllowList: this.envAllowList, allHostSignals: this.hostEnvSignals });
    return readVersion({ command, args: this.versionArgs, env });
  }

  /** What the caller asked for; the engine adds it to the allow-listed environment of the host. */
  protected buildEnvFromOptions(options: Pick<ResolvedRunOptions, 'env'>): Record<string, string> {
    return { ...options.env };
  }

  protected resolveSessionId(
    options: Pick<ResolvedRunOptions, 'sessionId' | 'forkSessionId' | 'noSession'>,
  ): string | undefined {
    return options.sessionId ?? options.forkSessionId;
  }
}

Object.defineProperties(BaseAgentAdapter.prototype, {
  capabilities: {
    configurable: true,
    get(this: { agent: string; modes?: readonly AgentMode[] }): AgentCapabilities {
      const first = this.modes?.[0];
      if (first) return first.capabilities;
      throw new AgentMuxError('VALIDATION_ERROR', 'an adapter needs capabilities, or modes that have them', {
        agent: this.agent,
      });
    },
  },
  models: { configurable: true, get: (): readonly ModelCapabilities[] => [] },
  configSchema: {
    configurable: true,
    get(this: { agent: string }): AgentConfigSchema {
      return { agent: this.agent, ...UNKNOWN_CONFIG };
    },
  },
  // Methods like any other; those who ask whether an adapter has its own know them by what they are.
  listSessionFiles: { configurable: true, writable: true, value: listStoredSessions },
  parseSessionFile: { configurable: true, writable: true, value: readStoredSession },
  readConfig: { configurable: true, writable: true, value: readConfigFiles },
  writeConfig: { configurable: true, writable: true, value: writeConfigFiles },
});
