import { isAbsolute, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AgentAdapter } from '../contract/adapter.ts';
import { AgentMuxError, CapabilityError, ValidationError } from '../contract/errors.ts';
import type {
  AgentCommand,
  AgentPlugins,
  InstalledPlugin,
  PluginCallOptions,
  PluginInstallOptions,
  PluginListing,
  PluginSearchOptions,
  PluginSupport,
} from '../contract/plugins.ts';
import { redactSecrets } from '../redact/redact.ts';
import { type AskContext, askAgent, runAgentCommand } from '../registry/ask-agent.ts';
import { suggestNames } from '../suggest-names.ts';

/** Some plugins are built during installation. */
const INSTALL_LIMIT_MS = 10 * 60_000;
/** Number of output lines in the error of a failing CLI. */
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

  async list(agent: string, { cwd = process.cwd(), onLine }: PluginCallOptions = {}): Promise<InstalledPlugin[]> {
    const adapter = this.#context.adapters.get(agent);
    if (adapter.plugins) return askAgent(this.#context, adapter, adapter.plugins.list, { cwd, onLine });
    if (adapter.listPlugins) return adapter.listPlugins();
    throw this.#cannot(adapter, 'list plugins', (other) => other.plugins ?? other.listPlugins);
  }

  async install(
    agent: string,
    pluginId: string,
    options: PluginInstallOptions & PluginCallOptions = {},
  ): Promise<InstalledPlugin> {
    const { cwd = process.cwd(), onLine, ...wanted } = options;
    const adapter = this.#context.adapters.get(agent);
    const id = checkId(adapter, pluginId, cwd);
    checkArguments(adapter, { version: wanted.version, registry: wanted.registry });
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
      after.find((plugin) => isNamed(plugin, id)) ?? after.find((plugin) => isNew(plugin) && refersTo(plugin, id));
    // A source such as a path or URL does not reveal the plugin's name.
    const added = installed ?? onlyOne(after.filter(isNew));
    if (added) return added;
    throw new AgentMuxError('AGENT_ERROR', `${adapter.displayName} reported success but does not list ${pluginId}`, {
      agent,
      hint: `run "${[adapter.cliCommand, ...plugins.list.args].join(' ')}" to list its plugins`,
    });
  }

  async uninstall(
    agent: string,
    pluginId: string,
    options: Pick<PluginInstallOptions, 'global'> & PluginCallOptions = {},
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
      const near = suggestNames(pluginId, names);
      const hint =
        near.length > 0 ? `did you mean ${near.join(' or ')}?` : `it lists: ${names.join(', ') || 'no plugins'}`;
      throw new AgentMuxError(error.code, error.message, { agent, hint, cause: error });
    }
    const after = await this.list(agent, { cwd });
    const left = after.filter((plugin) => isNamed(plugin, id)).length;
    if (left > 0 && left >= before.filter((plugin) => isNamed(plugin, id)).length) {
      throw new AgentMuxError('AGENT_ERROR', `${adapter.displayName} reported success but still lists ${pluginId}`, {
        agent,
        hint: 'it may be installed in another scope: globally, or for the project',
      });
    }
  }

  async search(
    agent: string,
    query: string,
    options: PluginSearchOptions & PluginCallOptions = {},
  ): Promise<PluginListing[]> {
    const { cwd = process.cwd(), onLine, ...wanted } = options;
    const adapter = this.#context.adapters.get(agent);
    checkArguments(adapter, { query: query || undefined, registry: wanted.registry });
    const found = adapter.plugins?.search?.(query, wanted);
    const listings = found
      ? await askAgent(this.#context, adapter, found, { cwd, onLine })
      : await adapter.searchPlugins?.(query, wanted);
    if (!listings) {
      throw this.#cannot(adapter, 'search for plugins', (other) => other.plugins?.search ?? other.searchPlugins);
    }
    return wanted.limit === undefined ? listings : listings.slice(0, wanted.limit);
  }

  async #do(
    adapter: AgentAdapter,
    command: AgentCommand,
    cwd: string,
    onLine: PluginCallOptions['onLine'],
  ): Promise<void> {
    const watch = { cwd, timeoutMs: INSTALL_LIMIT_MS, onLine };
    const { exitCode, stdout, stderr } = await runAgentCommand(this.#context, adapter, command, watch);
    if (exitCode === 0) return;
    const lines = `${stdout}\n${stderr}`.split('\n').flatMap((line) => line.trim() || []);
    const output = redactSecrets(lines.slice(-LAST_LINES).join('\n')).slice(-2000);
    const line = [command.command ?? adapter.cliCommand, ...command.args].join(' ');
    throw new AgentMuxError('AGENT_ERROR', `"${line}" ended with code ${exitCode}: ${output || 'no output'}`, {
      agent: adapter.agent,
    });
  }

  #adapters(): AgentAdapter[] {
    return this.#context.adapters.list().map(({ agent }) => this.#context.adapters.get(agent));
  }

  #cannot(adapter: AgentAdapter, what: string, has: (other: AgentAdapter) => unknown): CapabilityError {
    const able = this.#adapters().flatMap((other) => (has(other) ? other.agent : []));
    const hint = able.length > 0 ? `agents that can: ${able.join(', ')}` : 'no known agent can';
    return new CapabilityError(adapter.agent, 'plugins', `agent-mux cannot ${what} for ${adapter.displayName}`, hint);
  }
}

/** A path is relative to the project, wherever the CLI is run. */
function checkId(adapter: AgentAdapter, id: string, cwd: string): string {
  checkArguments(adapter, { id });
  return /^\.{1,2}(?:[\\/]|$)/.test(id) && !isAbsolute(id) ? resolve(cwd, id) : id;
}

/** These values become arguments of the agent's CLI. */
function checkArguments({ agent }: AgentAdapter, values: Record<string, string | undefined>): void {
  const issues = Object.entries(values).flatMap(([field, value]) => {
    const problem = value === undefined ? undefined : problemOf(value);
    return problem === undefined ? [] : [{ field, problem }];
  });
  if (issues.length > 0) throw new ValidationError('plugin', issues, { agent });
}

function problemOf(value: string): string | undefined {
  if (value.trim() === '') return 'must not be empty';
  if (value.startsWith('-')) return 'must not start with a dash';
  if (value.length > LONGEST_ID) return 'is too long';
  return /\p{Cc}/u.test(value) ? 'must not contain control characters' : undefined;
}

/** `name`, `name@1.2` and `name@market` refer to the same plugin. */
function isNamed(plugin: InstalledPlugin, id: string): boolean {
  return (
    plugin.id === id ||
    stripVersion(plugin.id) === id ||
    plugin.id === stripVersion(id) ||
    (isSource(id) && plugin.source === id)
  );
}

function refersTo({ id, source = '' }: InstalledPlugin, wanted: string): boolean {
  return wanted.includes(stripVersion(id)) || (isSource(source) && wanted.includes(source));
}

/** A URL or path, not a scope name. */
function isSource(text: string): boolean {
  return /[/\\:]/.test(text);
}

/** Removes the part after the last `@`, unless the name starts with it. */
function stripVersion(id: string): string {
  const at = id.lastIndexOf('@');
  return at > 0 ? id.slice(0, at) : id;
}

function onlyOne<Value>(values: readonly Value[]): Value | undefined {
  return values.length === 1 ? values[0] : undefined;
}
