import { guardAdapter } from '../border/guard-adapter.ts';
import type { AdapterCard, AgentAdapter, AgentAdapterInfo, InstalledAgentInfo } from '../contract/adapter.ts';
import type { AgentCapabilities, InstallMethod } from '../contract/capabilities.ts';
import { AgentMuxError, ValidationError } from '../contract/errors.ts';
import type { AdapterRegistry } from '../contract/run.ts';
import { messageOf } from '../values.ts';
import { Detection, type DetectionOptions, type Glance } from './detection.ts';
import { PluginLog } from './plugin-log.ts';
import { openPluginState } from './plugin-state.ts';
import { installMethodsFor, notInstalled, unknownAgent } from './refusals.ts';
import { assertAdapter } from './validate-adapter.ts';

interface Entry {
  card: AdapterCard;
  /** Behind its border; undefined until somebody names it. */
  adapter?: AgentAdapter;
  source: AgentAdapterInfo['source'];
  overridesBuiltIn: boolean;
  /** For people: what brought it. */
  by?: string;
}

/**
 * Which agents there are. A table, not a keeper of lives: a run holds its adapter itself, so replacing or removing an
 * entry only concerns runs that are started afterwards. Of a built-in agent it holds the card until somebody names it.
 */
export class Registry implements AdapterRegistry {
  readonly #entries = new Map<string, Entry>();
  readonly #refused = new Map<string, AgentMuxError>();
  readonly #detection: Detection;
  readonly #env: NodeJS.ProcessEnv;
  /** By adapter, so that a run of a replaced adapter keeps its log. */
  readonly #logs = new WeakMap<AgentAdapter, PluginLog>();
  readonly #initialized = new WeakMap<AgentAdapter, Promise<void>>();

  constructor(options: Pick<DetectionOptions, 'env' | 'now'> = {}) {
    this.#env = options.env ?? process.env;
    this.#detection = new Detection({ ...options, hostSignals: () => this.hostEnvSignals() });
  }

  list(): AgentAdapterInfo[] {
    return this.#sorted().map(({ card, source, overridesBuiltIn, by = 'another adapter' }) => ({
      agent: card.agent,
      displayName: card.displayName,
      cliCommand: card.cliCommand,
      minVersion: card.minVersion,
      source,
      ...(overridesBuiltIn ? { replacesBuiltIn: by } : {}),
    }));
  }

  installed(): Promise<InstalledAgentInfo[]> {
    return Promise.all(this.#sorted().map((entry) => this.#detection.detect(this.#adapterOf(entry))));
  }

  /** `fresh`: by asking now, whatever was found earlier. */
  async detect(agent: string, fresh = false): Promise<InstalledAgentInfo | null> {
    const entry = this.#entries.get(agent);
    return entry ? this.#detection.detect(this.#adapterOf(entry), fresh) : null;
  }

  /** What is known of each right now, in the order of `installed()`: no CLI is started. */
  glance(): Promise<Glance[]> {
    return Promise.all(this.#sorted().map((entry) => this.#detection.glance(this.#adapterOf(entry))));
  }

  /** The path of the agent's binary, without starting it. Throws UNKNOWN_AGENT or AGENT_NOT_INSTALLED. */
  async lookup(agent: string): Promise<string> {
    const adapter = this.get(agent);
    const path = await this.find(agent);
    if (path === null) throw notInstalled(adapter);
    return path;
  }

  /** The same, or null where it is not found. Throws UNKNOWN_AGENT. */
  find(agent: string): Promise<string | null> {
    return this.#detection.lookup(this.get(agent));
  }

  /** The installed version, shared with detection; null where it is not known, or nobody waits any longer. Throws UNKNOWN_AGENT. */
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

  /** `by`: where it comes from, in words, for whoever asks why a built-in one is not there. */
  register(adapter: AgentAdapter, by?: string): void {
    const checked = check(adapter);
    const replaced = this.#entries.get(checked.card.agent);
    const overridesBuiltIn = replaced !== undefined && (replaced.source === 'built-in' || replaced.overridesBuiltIn);
    this.#put({ ...checked, source: 'plugin', overridesBuiltIn, ...(by === undefined ? {} : { by }) });
  }

  /** Somebody has named this agent, but it cannot be used: whoever asks for it is told why. Takes the place of one of that name. */
  refuse(agent: string, reason: AgentMuxError): void {
    if (this.has(agent)) this.unregister(agent);
    this.#refused.set(agent, reason);
  }

  /** For the adapters that come with agent-mux; the last one of a name wins. */
  registerBuiltIn(adapter: AgentAdapter | AdapterCard): void {
    this.#put({
      ...(isCard(adapter) ? { card: adapter } : check(adapter)),
      source: 'built-in',
      overridesBuiltIn: false,
    });
  }

  unregister(agent: string): void {
    const { adapter } = this.#entryOf(agent);
    if (adapter) this.#detection.forget(adapter);
    this.#entries.delete(agent);
  }

  /** The adapter behind its border (border/guard-adapter.ts): what it says may be believed to have the right shape. */
  get(agent: string): AgentAdapter {
    return this.#adapterOf(this.#entryOf(agent));
  }

  /** Resolves when the adapter has been initialized. Rejects with ADAPTER_ERROR where it failed. */
  async initialized(adapter: AgentAdapter): Promise<void> {
    await this.#initialized.get(adapter);
  }

  /** Messages of the adapter; undefined for one that takes no context. */
  logOf(adapter: AgentAdapter): PluginLog | undefined {
    return this.#logs.get(adapter);
  }

  /** What is known of the agent without loading its adapter. Throws UNKNOWN_AGENT. */
  card(agent: string): AdapterCard {
    return this.#entryOf(agent).card;
  }

  has(agent: string): boolean {
    return this.#entries.has(agent);
  }

  /** What took the place of a built-in adapter, in words; undefined where nothing did. Each of its runs says so in a `debug` event. */
  replacedBy(agent: string): string | undefined {
    return this.list().find((info) => info.agent === agent)?.replacesBuiltIn;
  }

  /** The variables that mark a host agent, of every registered agent. */
  hostEnvSignals(): string[] {
    return [...new Set([...this.#entries.values()].flatMap(({ card }) => card.hostEnvSignals ?? []))];
  }

  /** What was detected of this agent is no longer believed, since it was installed, updated or logged in. */
  forgetDetection(agent: string): void {
    this.#detection.forget(this.get(agent));
  }

  /** Ends the CLIs that are being asked for their version. */
  close(): Promise<void> {
    return this.#detection.close();
  }

  #entryOf(agent: string): Entry {
    const entry = this.#entries.get(agent);
    if (entry) return entry;
    throw this.#refused.get(agent) ?? unknownAgent(agent, [...this.#entries.keys(), ...this.#refused.keys()]);
  }

  #put(entry: Entry): void {
    const { agent } = entry.card;
    const replaced = this.#entries.get(agent)?.adapter;
    if (replaced) this.#detection.forget(replaced);
    this.#refused.delete(agent);
    this.#entries.set(agent, entry);
    if (entry.adapter) this.#initialize(entry.adapter);
  }

  #adapterOf(entry: Entry): AgentAdapter {
    if (entry.adapter) return entry.adapter;
    const adapter = entry.card.load();
    entry.adapter = entry.card.isChecked ? guardAdapter(adapter) : check(adapter).adapter;
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
    // A run that needs the adapter reports it.
    initialized.catch(() => {});
  }

  #sorted(): Entry[] {
    return [...this.#entries.values()].sort((a, b) => (a.card.agent < b.card.agent ? -1 : 1));
  }
}

function isCard(adapter: AgentAdapter | AdapterCard): adapter is AdapterCard {
  return adapter !== null && typeof adapter === 'object' && 'load' in adapter;
}

/** Behind its border, which reads its data once: the card is made of that. */
function check(adapter: AgentAdapter): { card: AdapterCard; adapter: AgentAdapter } {
  const guarded = guardChecked(adapter);
  const { agent, displayName, cliCommand, minVersion, hostEnvSignals } = guarded;
  const modes = guarded.modes?.map(({ name }) => name) ?? [];
  return {
    card: { agent, displayName, cliCommand, minVersion, hostEnvSignals, modes, load: () => guarded },
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
