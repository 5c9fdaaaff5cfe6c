import type { AgentAdapter, AgentMode, AgentName, ParseContext, SpawnArgs } from '../contract/adapter.ts';
import { StreamAssembler } from '../contract/assembler.ts';
import type { AgentConfig, AgentConfigSchema, AuthSetupGuidance, AuthState } from '../contract/auth-and-config.ts';
import type { AgentCapabilities, ModelCapabilities } from '../contract/capabilities.ts';
import { AgentMuxError } from '../contract/errors.ts';
import type { EventBody, TimeoutKind } from '../contract/events.ts';
import type { ResolvedRunOptions, RetryPolicy } from '../contract/options.ts';
import type { PluginContext } from '../contract/plugin-context.ts';
import { mayRetry } from '../contract/retry.ts';
import type { Session } from '../contract/sessions.ts';
import { type CostRecord, readCostRecord } from '../contract/usage.ts';
import type { AuthCheck } from './auth-checks.ts';
import {
  detectLogin,
  exitEvents,
  listStoredSessions,
  parseJsonLine,
  readConfigFiles,
  readStoredSession,
  sessionRoot,
  spawnErrorEvent,
  timeoutEvent,
  UNKNOWN_CONFIG,
  writeConfigFiles,
} from './defaults.ts';

/** Not a field: an adapter may be frozen. */
const contexts = new WeakMap<BaseAgentAdapter, PluginContext>();

/** Optional data of an adapter, as a field or a getter. */
type OptionalData = Pick<
  AgentAdapter,
  | 'minVersion'
  | 'verifiedVersions'
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

/** Declared here and not in the class, so that an adapter may override them with fields and with getters. */
export interface BaseAgentAdapter extends OptionalData {
  /** Those of the first mode, unless the adapter defines them. */
  readonly capabilities: AgentCapabilities;
  readonly models: readonly ModelCapabilities[];
  readonly configSchema: AgentConfigSchema;
  /** From `sessionStore`, or every file below `sessionDir`. */
  listSessionFiles(cwd?: string): Promise<string[]>;
  parseSessionFile(filePath: string): Promise<Session>;
  /** From the files in `configSchema`. */
  readConfig(cwd?: string, env?: NodeJS.ProcessEnv): Promise<AgentConfig>;
  writeConfig(config: Partial<AgentConfig>, cwd?: string, env?: NodeJS.ProcessEnv): Promise<void>;
}

/**
 * Base class of adapters. Required: agent, displayName, cliCommand, capabilities (or modes), buildSpawnArgs and
 * parseEvent. Everything else is derived from data or reports that it is unknown.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the getters below the class provide what the interface declares
export abstract class BaseAgentAdapter implements AgentAdapter {
  abstract readonly agent: AgentName;
  abstract readonly displayName: string;
  abstract readonly cliCommand: string;

  /** Stores logger and state store. An override must call `super.initialize(context)` first. */
  initialize(context: PluginContext): void | Promise<void> {
    contexts.set(this, context);
  }

  /** Context of the client that registered this adapter last. Throws before that. */
  protected get context(): PluginContext {
    const context = contexts.get(this);
    if (context) return context;
    throw new AgentMuxError('ADAPTER_ERROR', `the adapter "${this.agent}" has no context yet: it is not registered`, {
      agent: this.agent,
    });
  }

  applyDefaults(options: ResolvedRunOptions): ResolvedRunOptions {
    return options;
  }

  abstract buildSpawnArgs(options: ResolvedRunOptions, env?: Readonly<NodeJS.ProcessEnv>): SpawnArgs;
  abstract parseEvent(line: string, context: ParseContext): EventBody | EventBody[] | null;

  /** Signs of a login on this machine; the first match decides. */
  protected readonly authChecks: readonly AuthCheck[] = [];
  protected readonly authGuidance: Omit<AuthSetupGuidance, 'agent'> = { steps: [], methods: [] };
  /**
   * Belongs to the adapter, not to a run: decoders use `ParseContext.assembler`, since one adapter serves many runs at
   * once.
   */
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
    return spawnErrorEvent(this.displayName, error);
  }

  onTimeout(kind?: TimeoutKind): EventBody {
    return timeoutEvent(this.displayName, kind);
  }

  onProcessExit(exitCode: number | null, signal: string | null): EventBody[] {
    return exitEvents(this.displayName, exitCode, signal);
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

  /** Environment variables of the caller; the engine adds them to the allow-listed environment of the host. */
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
  // Defined as ordinary methods; callers compare function identity to detect overrides.
  listSessionFiles: { configurable: true, writable: true, value: listStoredSessions },
  parseSessionFile: { configurable: true, writable: true, value: readStoredSession },
  readConfig: { configurable: true, writable: true, value: readConfigFiles },
  writeConfig: { configurable: true, writable: true, value: writeConfigFiles },
});
