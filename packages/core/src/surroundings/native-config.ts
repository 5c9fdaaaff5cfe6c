import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AgentMuxError, type Fault, ValidationError } from '../contract/errors.ts';
import type { AgentConfig, AgentConfigSchema, ConfigField } from '../contract/surroundings.ts';
import { isRecord, valueAt } from '../values.ts';
import { type ConfigChange, type ConfigCodec, checkedEdit, codecOf } from './config-codecs.ts';
import { expandPath } from './paths.ts';

export interface ConfigPlace {
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}

/** The values of the schema's fields, the project's over the user's. `{}` without a file; throws on one that is broken. */
export async function readNativeConfig(schema: AgentConfigSchema, place: ConfigPlace = {}): Promise<AgentConfig> {
  const codec = await codecOf(schema.format ?? 'json');
  const paths = [...schema.configFilePaths, ...schema.projectConfigFilePaths];
  const sources: string[] = [];
  const values: Record<string, unknown> = {};
  for (const path of paths.map((written) => expandPath(written, place.env, place.cwd))) {
    const text = await textOf(path);
    if (text === undefined) continue;
    const content = parseConfig(schema, codec, path, text);
    sources.push(path);
    for (const field of schema.fields) {
      const value = valueAt(content, nativePath(field));
      if (value !== undefined) values[field.name] = value;
    }
  }
  if (sources.length === 0) return {};
  const model = typeof values.model === 'string' ? { model: values.model } : {};
  return { agent: schema.agent, ...model, sources, values };
}

/**
 * Sets the given values and keeps all others. With a `cwd` the project's file is written, without one the user's: the
 * first of the schema's files that exists, or else the first. Replaced in one step, so that no reader sees half a file.
 */
export async function writeNativeConfig(
  schema: AgentConfigSchema,
  config: Partial<AgentConfig>,
  place: ConfigPlace = {},
): Promise<void> {
  const codec = await codecOf(schema.format ?? 'json');
  const wanted = { ...config.values, ...(config.model === undefined ? {} : { model: config.model }) };
  const changes = changesOf(schema, wanted);
  if (changes.length === 0) return;
  const inProject = place.cwd !== undefined && schema.projectConfigFilePaths.length > 0;
  const written = inProject ? schema.projectConfigFilePaths : schema.configFilePaths;
  const path = await firstExisting(written.map((each) => expandPath(each, place.env, place.cwd)));
  if (path === undefined) {
    throw new AgentMuxError('CONFIG_ERROR', `${schema.agent} has no configuration file to write`, {
      agent: schema.agent,
    });
  }
  const text = (await textOf(path)) ?? '';
  parseConfig(schema, codec, path, text);
  await replaceFile(path, checkedEdit(codec, text, changes));
}

function changesOf(schema: AgentConfigSchema, wanted: Record<string, unknown>) {
  const faults: Fault[] = [];
  const changes: ConfigChange[] = [];
  for (const [name, value] of Object.entries(wanted)) {
    if (value === undefined) continue;
    const field = schema.fields.find((candidate) => candidate.name === name);
    if (!field) faults.push({ field: name, problem: `is not a field of ${schema.agent}'s configuration` });
    else if (!hasType(value, field.type)) faults.push({ field: name, problem: `must be of type ${field.type}` });
    else changes.push({ path: nativePath(field).split('.'), value });
  }
  if (faults.length > 0) throw new ValidationError('configuration', faults, { agent: schema.agent });
  return changes;
}

function hasType(value: unknown, type: ConfigField['type']): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isRecord(value);
  return typeof value === type;
}

function nativePath(field: ConfigField): string {
  return field.nativePath ?? field.name;
}

function parseConfig(schema: AgentConfigSchema, codec: ConfigCodec, path: string, text: string): unknown {
  try {
    return codec.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AgentMuxError('CONFIG_ERROR', `${path} cannot be read: ${reason}`, { agent: schema.agent, cause });
  }
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isRecord(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
    throw error;
  }
}

async function firstExisting(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    if (await stat(path).catch(() => undefined)) return path;
  }
  return paths[0];
}

/** Through a link, because people keep such files elsewhere; with the mode that the file had, or 0600. */
async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const target = await realpath(path).catch(() => path);
  const mode = (await stat(target).catch(() => undefined))?.mode ?? 0o600;
  const temporary = `${target}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flag: 'wx' });
    await chmod(temporary, mode & 0o777);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
