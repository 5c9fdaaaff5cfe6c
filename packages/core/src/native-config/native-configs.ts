import type { AgentAdapter } from '../contract/adapter.ts';
import type { AgentConfigSchema } from '../contract/auth-and-config.ts';
import { CapabilityError } from '../contract/errors.ts';
import type {
  AgentConfigs,
  ConfigChangeResult,
  ConfigFile,
  ConfigFinding,
  ConfigQuery,
  ConfigTarget,
  ConfigValues,
  ConfigWrite,
} from '../contract/native-config.ts';
import type { AdapterRegistry } from '../contract/run.ts';
import { isPlainObject } from './changes.ts';
import { readConfigFiles, writeConfigFiles } from './config-files.ts';
import { changesOf, resolveNames } from './fields.ts';
import { maskAt } from './mask.ts';
import { lookUp, plainData, type ReadFile, readFiles } from './read.ts';
import { filesOf, listFiles } from './scopes.ts';
import { validateConfig } from './validate.ts';
import { writeChanges } from './write.ts';

/** The agents' own configuration files: one way to read and change them, whatever their format. */
export class NativeConfigs implements AgentConfigs {
  readonly #adapters: AdapterRegistry;
  readonly #env: NodeJS.ProcessEnv;

  constructor({ adapters, env = process.env }: { adapters: AdapterRegistry; env?: NodeJS.ProcessEnv }) {
    this.#adapters = adapters;
    this.#env = env;
  }

  schema(agent: string): AgentConfigSchema {
    const schema = this.#adapters.get(agent).configSchema;
    if (schema.configFilePaths.length + schema.projectConfigFilePaths.length > 0) return schema;
    const able = this.#adapters.list().filter((one) => {
      const { configFilePaths, projectConfigFilePaths } = this.#adapters.get(one.agent).configSchema;
      return configFilePaths.length + projectConfigFilePaths.length > 0;
    });
    const hint = able.length > 0 ? `supported agents: ${able.map((one) => one.agent).join(', ')}` : undefined;
    throw new CapabilityError(agent, 'config', `the configuration files of ${agent} are not supported`, hint);
  }

  async files(agent: string, where: ConfigTarget = {}): Promise<ConfigFile[]> {
    return listFiles(filesOf(this.schema(agent), where, this.#env));
  }

  async get(agent: string, query: ConfigQuery = {}): Promise<ConfigValues> {
    const { names, native = false, showSecrets = false, ...where } = query;
    const own = native ? undefined : this.#ownConfig(agent);
    if (own && own.readConfig !== readConfigFiles) return readOwn(own, query, this.#env);
    const schema = this.schema(agent);
    const wanted = resolveNames(schema, names ?? (native ? [] : schema.fields.map(({ name }) => name)), { native });
    const files = await readFiles(filesOf(schema, where, this.#env));
    const reading = { agent, files: files.map(({ path }) => path) };
    const shown = (path: readonly (string | number)[], value: unknown) =>
      showSecrets ? value : maskAt(schema, path, value);
    if (native && names === undefined) return { ...reading, ...mergeFiles(files, shown) };
    const found = wanted.flatMap((named) => {
      const at = lookUp(files, named);
      return at ? [{ ...named, ...at }] : [];
    });
    return {
      ...reading,
      values: Object.fromEntries(found.map(({ name, path, value }) => [name, shown(path, value)])),
      sources: Object.fromEntries(found.map(({ name, file }) => [name, file])),
    };
  }

  async set(
    agent: string,
    values: Readonly<Record<string, unknown>>,
    write: ConfigWrite = {},
  ): Promise<ConfigChangeResult> {
    const { native, ...target } = write;
    const own = native ? undefined : this.#ownConfig(agent);
    if (own && own.writeConfig !== writeConfigFiles) return writeOwn(own, values, target);
    const schema = this.schema(agent);
    return writeChanges(schema, changesOf(schema, values, { native }), { ...target, env: this.#env });
  }

  async unset(agent: string, names: readonly string[], write: ConfigWrite = {}): Promise<ConfigChangeResult> {
    const { native, ...target } = write;
    const own = native ? undefined : this.#ownConfig(agent);
    if (own && own.writeConfig !== writeConfigFiles)
      return writeOwn(own, Object.fromEntries(names.map((name) => [name, undefined])), target);
    const schema = this.schema(agent);
    const changes = resolveNames(schema, names, { native }).map(({ name, path }) => ({ name, path, value: undefined }));
    return writeChanges(schema, changes, { ...target, env: this.#env });
  }

  /** The adapter, if it reads or writes its configuration itself. */
  #ownConfig(agent: string): AgentAdapter | undefined {
    const adapter = this.#adapters.get(agent);
    const isDefault = adapter.readConfig === readConfigFiles && adapter.writeConfig === writeConfigFiles;
    return isDefault ? undefined : adapter;
  }

  async validate(agent: string, where: ConfigTarget = {}): Promise<ConfigFinding[]> {
    return validateConfig(this.#adapters.get(agent).configSchema, where, this.#env);
  }
}

async function readOwn(
  adapter: AgentAdapter,
  { names, showSecrets = false, cwd }: ConfigQuery,
  env: NodeJS.ProcessEnv,
): Promise<ConfigValues> {
  const { model, values = {}, sources: files = [] } = await adapter.readConfig(cwd, env);
  const all = { ...(model === undefined ? {} : { model }), ...values };
  const shown = Object.entries(all)
    .filter(([name]) => names === undefined || names.includes(name))
    .map(([name, value]) => [name, showSecrets ? value : maskAt(adapter.configSchema, [name], value)]);
  return { agent: adapter.agent, files, values: Object.fromEntries(shown), sources: {} };
}

async function writeOwn(
  adapter: AgentAdapter,
  values: Readonly<Record<string, unknown>>,
  { scope = 'global', cwd, dryRun = false }: Omit<ConfigWrite, 'native'>,
): Promise<ConfigChangeResult> {
  const { agent, displayName } = adapter;
  if (dryRun)
    throw new CapabilityError(
      agent,
      'dryRun',
      `the adapter of ${displayName} writes its configuration itself, without a dry run`,
    );
  const { model } = values;
  const config = { values: { ...values }, ...(typeof model === 'string' ? { model } : {}) };
  await adapter.writeConfig(config, scope === 'project' ? (cwd ?? process.cwd()) : undefined);
  return { agent, scope, files: [], overruled: [] };
}

/** The merged content of all files. How an agent merges lists is up to the agent. */
function mergeFiles(
  files: readonly ReadFile[],
  shown: (path: readonly string[], value: unknown) => unknown,
): Pick<ConfigValues, 'values' | 'sources'> {
  const sources: Record<string, string> = {};
  let merged: Record<string, unknown> = {};
  for (const { path, content } of files) {
    const plain = plainData(content);
    if (!isPlainObject(plain)) continue;
    merged = merge(merged, plain);
    for (const key of Object.keys(plain)) sources[key] = path;
  }
  const values = Object.fromEntries(Object.entries(merged).map(([key, value]) => [key, shown([key], value)]));
  return { values, sources };
}

function merge(under: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const both = Object.entries(over).map(([key, value]): [string, unknown] => {
    const below = Object.hasOwn(under, key) ? under[key] : undefined;
    return [key, isPlainObject(value) && isPlainObject(below) ? merge(below, value) : value];
  });
  return Object.fromEntries([...Object.entries(under), ...both]);
}
