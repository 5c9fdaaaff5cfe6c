import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lookupBinary } from '../binaries/lookup-binary.ts';
import { readVersion } from '../binaries/version.ts';
import type { AgentAdapter, AgentMode, AgentName, ParseContext, SpawnArgs } from '../contract/adapter.ts';
import { StreamAssembler } from '../contract/assembler.ts';
import type { AgentCapabilities, ModelCapabilities } from '../contract/capabilities.ts';
import { AgentMuxError } from '../contract/errors.ts';
import type { EventBody, TimeoutKind } from '../contract/events.ts';
import type { ResolvedRunOptions, RetryPolicy } from '../contract/options.ts';
import { mayRetry } from '../contract/retry.ts';
import type { Session } from '../contract/sessions.ts';
import type { AgentConfig, AgentConfigSchema, AuthSetupGuidance, AuthState } from '../contract/surroundings.ts';
import { type CostRecord, readCostRecord } from '../contract/usage.ts';
import { buildChildEnv } from '../env/child-env.ts';
import { readConfigEnv, withConfigEnv } from '../native-config/config-env.ts';
import { readNativeConfig } from '../native-config/read.ts';
import { writeNativeConfig } from '../native-config/write.ts';
import { listSessionPaths } from '../session-stores/store.ts';
import { type AuthCheck, checkAuth } from './auth-checks.ts';

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
  | 'plugins'
  | 'extensionFolders'
>;

/** Declared here and not in the class, so that an adapter may override them by fields and by getters alike. */
export interface BaseAgentAdapter extends OptionalData {
  /** Of the first mode, unless the adapter says it itself. */
  readonly capabilities: AgentCapabilities;
  readonly models: readonly ModelCapabilities[];
  readonly configSchema: AgentConfigSchema;
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
    try {
      const state = await checkAuth(this.authChecks, env);
      return withConfigEnv(state, await readConfigEnv(this.configSchema, { env }), env);
    } catch {
      return { status: 'unknown' };
    }
  }

  getAuthGuidance(): AuthSetupGuidance {
    return { agent: this.agent, ...this.authGuidance };
  }

  sessionDir(_cwd?: string): string {
    if (this.sessionStore) return this.sessionStore.root(process.env);
    throw new AgentMuxError('CONFIG_ERROR', `${this.displayName} does not say where it keeps its sessions`, {
      agent: this.agent,
    });
  }

  /** Those of `sessionStore`, or every file below `sessionDir`. With a `cwd`: of that folder, where the sessions tell theirs. */
  async listSessionFiles(cwd?: string): Promise<string[]> {
    if (this.sessionStore) return listSessionPaths(this.sessionStore, cwd);
    try {
      const entries = await readdir(this.sessionDir(cwd), { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort();
    } catch {
      return [];
    }
  }

  async parseSessionFile(filePath: string): Promise<Session> {
    if (this.sessionStore) return this.sessionStore.read({ path: filePath, stamp: '' });
    throw new AgentMuxError('PARSE_ERROR', `Stored sessions of ${this.displayName} are not readable yet: ${filePath}`, {
      agent: this.agent,
    });
  }

  readConfig(cwd?: string, env: NodeJS.ProcessEnv = process.env): Promise<AgentConfig> {
    return readNativeConfig(this.configSchema, { cwd, env });
  }

  /** With a `cwd` into the project's file, without one into the user's. */
  writeConfig(config: Partial<AgentConfig>, cwd?: string, env: NodeJS.ProcessEnv = process.env): Promise<void> {
    return writeNativeConfig(this.configSchema, config, { cwd, env });
  }

  onSpawnError(error: Error): EventBody {
    const message = `${this.displayName} could not be started: ${error.message}`;
    return { type: 'crash', exitCode: -1, signal: null, stderr: '', message };
  }

  onTimeout(kind?: TimeoutKind): EventBody {
    const message = `${this.displayName} ${kind === 'run' ? 'took too long' : 'was silent for too long'}`;
    return { type: 'error', code: 'TIMEOUT', message, recoverable: false };
  }

  /** The engine adds the tail of stderr. */
  onProcessExit(exitCode: number | null, signal: string | null): EventBody[] {
    if (exitCode === 0 && signal === null) return [];
    const how = signal === null ? `exited with code ${exitCode}` : `was ended by ${signal}`;
    return [{ type: 'crash', exitCode, signal, stderr: '', message: `${this.displayName} ${how}` }];
  }

  shouldRetry(event: EventBody, attempt: number, policy: RetryPolicy): boolean {
    return mayRetry(event, attempt, policy);
  }

  /** The value of a line of JSON, or null. */
  protected parseJsonLine(line: string): unknown {
    // Most lines that are not JSON are told by their first character, without the cost of an exception.
    if (!/^\s*[[{"\d\-tfn]/.test(line)) return null;
    try {
      return JSON.parse(line);
    } catch {
      return null;
    }
  }

  protected assembleCostRecord(raw: unknown): CostRecord | null {
    return readCostRecord(raw);
  }

  protected async detectVersionFromCli(hostEnv: NodeJS.ProcessEnv = process.env): Promise<string | null> {
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
      return { agent: this.agent, fields: [], configFilePaths: [], projectConfigFilePaths: [] };
    },
  },
});
