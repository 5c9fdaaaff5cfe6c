import { guardAdapter } from '../boundary/guard-adapter.ts';
import type { AdapterManifest, AgentAdapter, AgentAdapterInfo, InstalledAgentInfo } from '../contract/adapter.ts';
import type { AgentCapabilities, InstallMethod } from '../contract/capabilities.ts';
import { AgentMuxError, ValidationError } from '../contract/errors.ts';
import type { AdapterRegistry } from '../contract/run.ts';
import { messageOf } from '../values.ts';
import { Detection, type DetectionOptions, type DetectionSnapshot } from './detection.ts';
import { PluginLog } from './plugin-log.ts';
import { openPluginState } from './plugin-state.ts';
import { installMethodsFor, notInstalled, unknownAgent } from './registry-errors.ts';
import { assertAdapter } from './validate-adapter.ts';

interface Entry {
  manifest: AdapterManifest;
  /** Guarded adapter; undefined until first used. */
  adapter?: AgentAdapter;
  source: AgentAdapterInfo['source'];
  overridesBuiltIn: boolean;
  /** Human-readable source of the adapter. */
  by?: string;
}

/**
 * The known agents. A run holds its adapter itself, so replacing or removing an entry only affects later runs. A
 * built-in agent is represented by its manifest until first used.
 */
export class Registry implements AdapterRegistry {
  readonly #entries = new Map<string, Entry>();
  readonly #refused = new Map<string, AgentMuxError>();
  readonly #detection: Detection;
  readonly #env: NodeJS.ProcessEnv;
  /** Keyed by adapter, so that a run of a replaced adapter keeps its log. */
  readonly #logs = new WeakMap<AgentAdapter, PluginLog>();
  readonly #initialized = new WeakMap<AgentAdapter, Promise<void>>();

  constructor(options: Pick<DetectionOptions, 'env' | 'now'> = {}) {
    this.#env = options.env ?? process.env;
    this.#detection = new Detection({ ...options, hostSignals: () => this.hostEnvSignals() });
  }

  list(): AgentAdapterInfo[] {
    return this.#sorted().map(({ manifest, source, overridesBuiltIn, by = 'another adapter' }) => ({
      agent: manifest.agent,
      displayName: manifest.displayName,
      cliCommand: manifest.cliCommand,
      minVersion: manifest.minVersion,
      source,
      ...(overridesBuiltIn ? { replacesBuiltIn: by } : {}),
    }));
  }

  installed(): Promise<InstalledAgentInfo[]> {
    return Promise.all(this.#sorted().map((entry) => this.#detection.detect(this.#adapterOf(entry))));
  }

  /** `fresh`: bypasses the cache. */
  async detect(agent: string, fresh = false): Promise<InstalledAgentInfo | null> {
    const entry = this.#entries.get(agent);
    return entry ? this.#detection.detect(this.#adapterOf(entry), fresh) : null;
  }

  /** Snapshot of each agent without starting a CLI, in the order of `installed()`. */
  glance(): Promise<DetectionSnapshot[]> {
    return Promise.all(this.#sorted().map((entry) => this.#detection.glance(this.#adapterOf(entry))));
  }

  /** Path of the agent's binary, without starting it. Throws UNKNOWN_AGENT or AGENT_NOT_INSTALLED. */
  async lookup(agent: string): Promise<string> {
    const adapter = this.get(agent);
    const path = await this.find(agent);
    if (path === null) throw notInstalled(adapter);
    return path;
  }

  /** Same as `lookup`, but null if not found. Throws UNKNOWN_AGENT. */
  find(agent: string): Promise<string | null> {
    return this.#detection.lookup(this.get(agent));
  }

  /** The installed version, shared with detection; null if unknown or aborted. Throws UNKNOWN_AGENT. */
  version(agent: string, signal?: AbortSignal): Promise<string | null> {
    return this.#detection.version(this.get(agent), signal);
  }

  capabilities(agent: string, mode?: string): AgentCapabilities {
    const adapter = this.get(agent);
    if (mode === undefined) return adapter.capabilities;
    const modes = adapter.modes ?? [];
    const found = modes.find(({ name }) => name === mode);
    if (found) return found.capabilities;
    const names = modes.map(({ name }) => name).join(', ') || 'none';
    throw new ValidationError(
      `agent "${agent}"`,
      [{ field: 'mode', problem: `"${mode}" is not one of its modes: ${names}` }],
      {
        agent,
      },
    );
  }

  installInstructions(agent: string, platform: NodeJS.Platform = process.platform): InstallMethod[] {
    return installMethodsFor(this.get(agent), platform);
  }

  /** `by`: human-readable source of the adapter, used to explain why a built-in one was replaced. */
  register(adapter: AgentAdapter, by?: string): void {
    const checked = check(adapter);
    const replaced = this.#entries.get(checked.manifest.agent);
    const overridesBuiltIn = replaced !== undefined && (replaced.source === 'built-in' || replaced.overridesBuiltIn);
    this.#put({ ...checked, source: 'plugin', overridesBuiltIn, ...(by === undefined ? {} : { by }) });
  }

  /** Registers an agent that is configured but unusable: using it throws the reason. Replaces an agent of that name. */
  refuse(agent: string, reason: AgentMuxError): void {
    if (this.has(agent)) this.unregister(agent);
    this.#refused.set(agent, reason);
  }

  /** For the adapters bundled with agent-mux; the last one of a name wins. */
  registerBuiltIn(adapter: AgentAdapter | AdapterManifest): void {
    this.#put({
      ...(isManifest(adapter) ? { manifest: adapter } : check(adapter)),
      source: 'built-in',
      overridesBuiltIn: false,
    });
  }

  unregister(agent: string): void {
    const { adapter } = this.#entryOf(agent);
    if (adapter) this.#detection.forget(adapter);
    this.#entries.delete(agent);
  }

  /** The guarded adapter (boundary/guard-adapter.ts): its results have the right shape. */
  get(agent: string): AgentAdapter {
    return this.#adapterOf(this.#entryOf(agent));
  }

  /** Resolves when the adapter has been initialized. Rejects with ADAPTER_ERROR if that failed. */
  async initialized(adapter: AgentAdapter): Promise<void> {
    await this.#initialized.get(adapter);
  }

  /** Messages of the adapter; undefined for one without a context. */
  logOf(adapter: AgentAdapter): PluginLog | undefined {
    return this.#logs.get(adapter);
  }

  /** Metadata of the agent, without loading its adapter. Throws UNKNOWN_AGENT. */
  manifest(agent: string): AdapterManifest {
    return this.#entryOf(agent).manifest;
  }

  has(agent: string): boolean {
    return this.#entries.has(agent);
  }

  /**
   * Human-readable source of the adapter that replaced a built-in one; undefined if none did. Each of its runs emits it
   * in a `debug` event.
   */
  replacedBy(agent: string): string | undefined {
    return this.list().find((info) => info.agent === agent)?.replacesBuiltIn;
  }

  /** Environment variables that mark a host agent, of all registered agents. */
  hostEnvSignals(): string[] {
    return [...new Set([...this.#entries.values()].flatMap(({ manifest }) => manifest.hostEnvSignals ?? []))];
  }

  /** Invalidates the detection of this agent after an installation, update or login. */
  forgetDetection(agent: string): void {
    this.#detection.forget(this.get(agent));
  }

  /** Ends all pending version queries. */
  close(): Promise<void> {
    return this.#detection.close();
  }

  #entryOf(agent: string): Entry {
    const entry = this.#entries.get(agent);
    if (entry) return entry;
    throw this.#refused.get(agent) ?? unknownAgent(agent, [...this.#entries.keys(), ...this.#refused.keys()]);
  }

  #put(entry: Entry): void {
    const { agent } = entry.manifest;
    const replaced = this.#entries.get(agent)?.adapter;
    if (replaced) this.#detection.forget(replaced);
    this.#refused.delete(agent);
    this.#entries.set(agent, entry);
    if (entry.adapter) this.#initialize(entry.adapter);
  }

  #adapterOf(entry: Entry): AgentAdapter {
    if (entry.adapter) return entry.adapter;
    const adapter = entry.manifest.load();
    entry.adapter = entry.manifest.isChecked ? guardAdapter(adapter) : check(adapter).adapter;
    this.#initialize(entry.adapter);
    return entry.adapter;
  }

  #initialize(adapter: AgentAdapter): void {
    const { agent } = adapter;
    if (!adapter.initialize) return;
    const log = new PluginLog();
    this.#logs.set(adapter, log);
    const context = { agent, logger: log.logger, stateStore: openPluginState(agent, this.#env) };
    const initialized = Promise.resolve(adapter.initialize(context));
    this.#initialized.set(adapter, initialized);
    // A run that needs the adapter reports the failure.
    initialized.catch(() => {});
  }

  #sorted(): Entry[] {
    return [...this.#entries.values()].sort((a, b) => (a.manifest.agent < b.manifest.agent ? -1 : 1));
  }
}

function isManifest(adapter: AgentAdapter | AdapterManifest): adapter is AdapterManifest {
  return adapter !== null && typeof adapter === 'object' && 'load' in adapter;
}

/** Guards the adapter, which reads its data once, and builds the manifest from that. */
function check(adapter: AgentAdapter): { manifest: AdapterManifest; adapter: AgentAdapter } {
  const guarded = guardChecked(adapter);
  const { agent, displayName, cliCommand, minVersion, hostEnvSignals } = guarded;
  const modes = guarded.modes?.map(({ name }) => name) ?? [];
  return {
    manifest: { agent, displayName, cliCommand, minVersion, hostEnvSignals, modes, load: () => guarded },
    adapter: guarded,
  };
}

/** A getter of the adapter may throw anything; the caller gets a ValidationError. */
function guardChecked(adapter: AgentAdapter): AgentAdapter {
  try {
    assertAdapter(adapter);
    return guardAdapter(adapter);
  } catch (error) {
    if (error instanceof AgentMuxError) throw error;
    throw new ValidationError('adapter', [{ field: '', problem: `cannot be read: ${messageOf(error)}` }]);
  }
}
