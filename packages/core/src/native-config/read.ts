import type { AgentConfig, AgentConfigSchema } from '../contract/auth-and-config.ts';
import { AgentMuxError } from '../contract/errors.ts';
import type { ConfigTarget } from '../contract/native-config.ts';
import { isPlainObject, valueAtNative } from './changes.ts';
import { readNativeFile } from './edit-file.ts';
import { type NamedPath, pathOf } from './fields.ts';
import { filesOf, type ScopedFile } from './scopes.ts';

export interface ReadFile extends ScopedFile {
  content: unknown;
}

/** The existing files. Throws CONFIG_ERROR on a broken one. */
export async function readFiles(files: readonly ScopedFile[]): Promise<ReadFile[]> {
  const read = await Promise.all(files.map(async (file) => ({ file, found: await readNativeFile(file) })));
  return read.flatMap(({ file, found }) => (found ? [{ ...file, ...found }] : []));
}

/** The value at a path, and the file that it comes from: the last one that has it. */
export function lookUp(files: readonly ReadFile[], { path }: NamedPath): { value: unknown; file: string } | undefined {
  for (const file of files.toReversed()) {
    const value = valueAtNative(file.content, path);
    if (value !== undefined) return { value: plainData(value), file: file.path };
  }
  return undefined;
}

/** Converts to JSON values: dates and large numbers of TOML become text. */
export function plainData(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainData);
  if (isPlainObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainData(inner)]));
  }
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Date ? value.toISOString() : value;
}

/** The values of the schema's fields, the project's over the user's. `{}` without a file; throws on a broken one. */
export async function readNativeConfig(
  schema: AgentConfigSchema,
  target: ConfigTarget & { env?: NodeJS.ProcessEnv } = {},
): Promise<AgentConfig> {
  const { env = process.env, ...where } = target;
  const files = await readFiles(filesOf(schema, where, env));
  if (files.length === 0) return {};
  const other = files.find(({ content }) => !isPlainObject(content));
  if (other) throw new AgentMuxError('CONFIG_ERROR', `${other.path} must contain an object`, { agent: schema.agent });
  const values = Object.fromEntries(
    schema.fields.flatMap((field) => {
      const found = lookUp(files, { name: field.name, path: pathOf(field) });
      return found ? [[field.name, found.value]] : [];
    }),
  );
  const model = typeof values.model === 'string' ? { model: values.model } : {};
  return { agent: schema.agent, ...model, sources: files.map(({ path }) => path), values };
}
