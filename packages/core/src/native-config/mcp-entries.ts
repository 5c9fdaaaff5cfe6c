import type { AgentConfigSchema, McpConfigFormat } from '../contract/auth-and-config.ts';
import type { ConfigScope, ConfigTarget } from '../contract/native-config.ts';
import { expandPath } from '../files/paths.ts';
import { isPlainObject, sameContent, valueAtNative } from './changes.ts';
import type { ConfigChange, NativePath } from './codecs.ts';
import { schemaPath } from './fields.ts';
import type { ScopedFile } from './scopes.ts';

export interface FoundEntry {
  name: string;
  path: NativePath;
  entry: Record<string, unknown>;
}

/** The files in which an agent looks for MCP servers. */
export function listMcpFiles(schema: AgentConfigSchema, where: ConfigTarget, env: NodeJS.ProcessEnv): ScopedFile[] {
  const { cwd = process.cwd() } = where;
  const scopes: readonly ConfigScope[] = where.scope ? [where.scope] : ['global', 'project'];
  const format = schema.mcp?.format ?? schema.format ?? 'json';
  return scopes.flatMap((scope) =>
    mcpPaths(schema.mcp, scope).map((written): ScopedFile => {
      const path = expandPath(written, env, cwd);
      return { agent: schema.agent, path, format, scope, ...(scope === 'project' ? { within: cwd } : {}) };
    }),
  );
}

/** As the adapter names them. */
export function mcpPaths(form: McpConfigFormat | undefined, scope: ConfigScope): readonly string[] {
  const named = (scope === 'global' ? form?.globalFile : form?.projectFile) ?? [];
  return typeof named === 'string' ? [named] : named;
}

export function holderPath(form: McpConfigFormat): NativePath {
  return schemaPath(form.key);
}

/** Every server in the file, including those in an unknown format. */
export function readEntries(form: McpConfigFormat, content: unknown): FoundEntry[] {
  const holder = valueAtNative(content, holderPath(form));
  if (form.list) {
    if (!Array.isArray(holder)) return [];
    return holder.flatMap((entry: unknown, index): FoundEntry[] => {
      if (!isPlainObject(entry) || typeof entry.name !== 'string') return [];
      return [{ name: entry.name, path: [...holderPath(form), index], entry }];
    });
  }
  if (!isPlainObject(holder)) return [];
  return Object.entries(holder).map(([name, entry]) => ({
    name,
    path: [...holderPath(form), name],
    entry: isPlainObject(entry) ? entry : {},
  }));
}

export function findEntry(form: McpConfigFormat, content: unknown, name: string): FoundEntry | undefined {
  return readEntries(form, content).find((entry) => entry.name === name);
}

export function addEntry(
  form: McpConfigFormat,
  content: unknown,
  name: string,
  entry: Record<string, unknown>,
): ConfigChange[] {
  if (!form.list) return [{ path: [...holderPath(form), name], value: entry }];
  const holder = valueAtNative(content, holderPath(form));
  const path = [...holderPath(form), Array.isArray(holder) ? holder.length : 0];
  return [{ path, value: { name, ...entry } }];
}

/** Whether both are the same server for the agent, however they are written. */
export function isSameServer(
  form: McpConfigFormat,
  one: Record<string, unknown>,
  other: Record<string, unknown>,
): boolean {
  const [left, right] = [decodeEntry(form, one), decodeEntry(form, other)];
  return left && right ? sameContent(left, right) : sameContent(one, other);
}

/** Changes key by key, so that comments and settings outside of the format (a timeout, a switch) stay. */
export function changeEntry(form: McpConfigFormat, found: FoundEntry, entry: Record<string, unknown>): ConfigChange[] {
  const server = decodeEntry(form, found.entry);
  const supported = server ? form.encode(server, found.name) : found.entry;
  const removed = Object.keys(supported).filter(
    (key) => key !== 'name' && Object.hasOwn(found.entry, key) && !(key in entry),
  );
  return [
    ...removed.map((key) => ({ path: [...found.path, key], value: undefined })),
    ...Object.entries(entry)
      .filter(([key, value]) => !sameContent(found.entry[key], value))
      .map(([key, value]) => ({ path: [...found.path, key], value })),
  ];
}

/** A format that throws on an entry does not support it. */
export function decodeEntry(form: McpConfigFormat, entry: Record<string, unknown>) {
  try {
    return form.decode(entry);
  } catch {
    return null;
  }
}
