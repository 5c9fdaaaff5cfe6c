import { isAbsolute, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AgentAdapter } from '../contract/adapter.ts';
import { AgentMuxError, CapabilityError, ValidationError } from '../contract/errors.ts';
import type {
  AgentCommand,
  AgentPlugins,
  InstalledPlugin,
  PluginInstallOptions,
  PluginListing,
  PluginPlace,
  PluginSearchOptions,
  PluginSupport,
} from '../contract/plugins.ts';
import { findNearNames } from '../near-names.ts';
import { redactSecrets } from '../redact/redact.ts';
import { type AskContext, askAgent, runAgentCommand } from '../registry/ask-agent.ts';

/** Some are built where they are installed. */
const INSTALL_LIMIT_MS = 10 * 60_000;
/** So much of what a failing CLI said is in the error. */
const LAST_LINES = 8;
const LONGEST_ID = 2000;

export class Plugins implements AgentPlugins {
  readonly #context: AskContext;

  constructor(context: AskContext) {
    this.#context = context;
  }

  supported(): PluginSupport[] {
    return this.#adapters().flatMap((adapter): PluginSupport[] => {
      const { agent, plugins } = adapter;
      if (plugins) {
        const { formats, registries = [], search } = plugins;
        return [{ agent, formats, registries, canInstall: true, canSearch: search !== undefined }];
      }
      if (!adapter.listPlugins) return [];
      const canInstall = adapter.installPlugin !== undefined;
      return [{ agent, formats: [], registries: [], canInstall, canSearch: adapter.searchPlugins !== undefined }];
    });
  }

  async list(agent: string, { cwd = process.cwd(), onLine }: PluginPlace = {}): Promise<InstalledPlugin[]> {
    const adapter = this.#context.adapters.get(agent);
    if (adapter.plugins) return askAgent(this.#context, adapter, adapter.plugins.list, { cwd, onLine });
    if (adapter.listPlugins) return adapter.listPlugins();
    throw this.#cannot(adapter, 'list plugins', (other) => other.plugins ?? other.listPlugins);
  }

  async install(
    agent: string,
    pluginId: string,
    options: PluginInstallOptions & PluginPlace = {},
  ): Promise<InstalledPlugin> {
    const { cwd = process.cwd(), onLine, ...wanted } = options;
    const adapter = this.#context.adapters.get(agent);
    const id = checkId(adapter, pluginId, cwd);
    checkWords(adapter, { version: wanted.version, registry: wanted.registry });
    const { plugins } = adapter;
    if (!plugins) {
      if (adapter.installPlugin) return adapter.installPlugin(id, wanted);
      throw this.#cannot(adapter, 'install plugins', (other) => other.plugins ?? other.installPlugin);
    }
    const command = plugins.install(id, wanted);
    const before = await this.list(agent, { cwd });
    await this.#do(adapter, command, cwd, onLine);
    const after = await this.list(agent, { cwd });
    const isNew = (plugin: InstalledPlugin) => !before.some((earlier) => isDeepStrictEqual(earlier, plugin));
    const installed =
      after.find((plugin) => isNamed(plugin, id)) ?? after.find((plugin) => isNew(plugin) && speaksOf(plugin, id));
    // A source such as a path or an address says nothing of the name that the plugin goes by.
    const added = installed ?? onlyOne(after.filter(isNew));
    if (added) return added;
    throw new AgentMuxError(
      'AGENT_ERROR',
      `${adapter.displayName} did not fail, but does not list ${pluginId} afterwards`,
      { agent, hint: `"${[adapter.cliCommand, ...plugins.list.args].join(' ')}" shows what it lists` },
    );
  }

  async uninstall(
    agent: string,
    pluginId: string,
    options: Pick<PluginInstallOptions, 'global'> & PluginPlace = {},
  ): Promise<void> {
    const { cwd = process.cwd(), onLine, ...wanted } = options;
    const adapter = this.#context.adapters.get(agent);
    const id = checkId(adapter, pluginId, cwd);
    const { plugins } = adapter;
    if (!plugins) {
      if (adapter.uninstallPlugin) return adapter.uninstallPlugin(id);
      throw this.#cannot(adapter, 'uninstall plugins', (other) => other.plugins ?? other.uninstallPlugin);
    }
    const command = plugins.uninstall(id, wanted);
    const before = await this.list(agent, { cwd });
    const there = before.some((plugin) => isNamed(plugin, id));
    try {
      await this.#do(adapter, command, cwd, onLine);
    } catch (error) {
      if (there || !(error instanceof AgentMuxError)) throw error;
      const names = before.map((plugin) => plugin.id);
      const near = findNearNames(pluginId, names);
      const hint =
        near.length > 0 ? `did you mean ${near.join(' or ')}?` : `it lists: ${names.join(', ') || 'no plugins'}`;
      throw new AgentMuxError(error.code, error.message, { agent, hint, cause: error });
    }
    const after = await this.list(agent, { cwd });
    const left = after.filter((plugin) => isNamed(plugin, id)).length;
    if (left > 0 && left >= before.filter((plugin) => isNamed(plugin, id)).length) {
      throw new AgentMuxError('AGENT_ERROR', `${adapter.displayName} did not fail, but still lists ${pluginId}`, {
        agent,
        hint: 'it may be installed in another scope: globally, or for the project',
      });
    }
  }

  async search(
    agent: string,
    query: string,
    options: PluginSearchOptions & PluginPlace = {},
  ): Promise<PluginListing[]> {
    const { cwd = process.cwd(), onLine, ...wanted } = options;
    const adapter = this.#context.adapters.get(agent);
    checkWords(adapter, { query: query || undefined, registry: wanted.registry });
    const found = adapter.plugins?.search?.(query, wanted);
    const listings = found
      ? await askAgent(this.#context, adapter, found, { cwd, onLine })
      : await adapter.searchPlugins?.(query, wanted);
    if (!listings) {
      throw this.#cannot(adapter, 'search for plugins', (other) => other.plugins?.search ?? other.searchPlugins);
    }
    return wanted.limit === undefined ? listings : listings.slice(0, wanted.limit);
  }

  async #do(adapter: AgentAdapter, command: AgentCommand, cwd: string, onLine: PluginPlace['onLine']): Promise<void> {
    const watch = { cwd, timeoutMs: INSTALL_LIMIT_MS, onLine };
    const { exitCode, stdout, stderr } = await runAgentCommand(this.#context, adapter, command, watch);
    if (exitCode === 0) return;
    const lines = `${stdout}\n${stderr}`.split('\n').flatMap((line) => line.trim() || []);
    const said = redactSecrets(lines.slice(-LAST_LINES).join('\n')).slice(-2000);
    const asked = [command.command ?? adapter.cliCommand, ...command.args].join(' ');
    throw new AgentMuxError('AGENT_ERROR', `"${asked}" ended with code ${exitCode}: ${said || 'it said nothing'}`, {
      agent: adapter.agent,
    });
  }

  #adapters(): AgentAdapter[] {
    return this.#context.adapters.list().map(({ agent }) => this.#context.adapters.get(agent));
  }

  #cannot(adapter: AgentAdapter, what: string, has: (other: AgentAdapter) => unknown): CapabilityError {
    const able = this.#adapters().flatMap((other) => (has(other) ? other.agent : []));
    const hint = able.length > 0 ? `agents that can: ${able.join(', ')}` : 'no agent that is known here can';
    return new CapabilityError(adapter.agent, 'plugins', `${adapter.displayName} cannot ${what} by agent-mux`, hint);
  }
}

/** A path is seen from the project, wherever the CLI is run. */
function checkId(adapter: AgentAdapter, id: string, cwd: string): string {
  checkWords(adapter, { id });
  return /^\.{1,2}(?:[\\/]|$)/.test(id) && !isAbsolute(id) ? resolve(cwd, id) : id;
}

/** Each stands on a command line of the agent. */
function checkWords({ agent }: AgentAdapter, words: Record<string, string | undefined>): void {
  const faults = Object.entries(words).flatMap(([field, word]) => {
    const problem = word === undefined ? undefined : problemOf(word);
    return problem === undefined ? [] : [{ field, problem }];
  });
  if (faults.length > 0) throw new ValidationError('plugin', faults, { agent });
}

function problemOf(word: string): string | undefined {
  if (word.trim() === '') return 'must not be empty';
  if (word.startsWith('-')) return 'may not begin with a dash';
  if (word.length > LONGEST_ID) return 'is too long';
  return /\p{Cc}/u.test(word) ? 'may not hold control characters' : undefined;
}

/** `name`, `name@1.2` and `name@market` are told of the same plugin. */
function isNamed(plugin: InstalledPlugin, id: string): boolean {
  return (
    plugin.id === id ||
    stripVersion(plugin.id) === id ||
    plugin.id === stripVersion(id) ||
    (isSource(id) && plugin.source === id)
  );
}

function speaksOf({ id, source = '' }: InstalledPlugin, wanted: string): boolean {
  return wanted.includes(stripVersion(id)) || (isSource(source) && wanted.includes(source));
}

/** An address or a path, and not the word for a scope. */
function isSource(text: string): boolean {
  return /[/\\:]/.test(text);
}

/** Without what follows the last `@`, which may also begin the name. */
function stripVersion(id: string): string {
  const at = id.lastIndexOf('@');
  return at > 0 ? id.slice(0, at) : id;
}

function onlyOne<Value>(values: readonly Value[]): Value | undefined {
  return values.length === 1 ? values[0] : undefined;
}
