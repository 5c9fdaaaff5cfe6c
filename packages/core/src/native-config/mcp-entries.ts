import type { ConfigScope, ConfigWhere } from '../contract/native-config.ts';
import type { AgentConfigSchema, McpConfigForm } from '../contract/surroundings.ts';
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
export function listMcpFiles(schema: AgentConfigSchema, where: ConfigWhere, env: NodeJS.ProcessEnv): ScopedFile[] {
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
export function mcpPaths(form: McpConfigForm | undefined, scope: ConfigScope): readonly string[] {
  const named = (scope === 'global' ? form?.globalFile : form?.projectFile) ?? [];
  return typeof named === 'string' ? [named] : named;
}

export function holderPath(form: McpConfigForm): NativePath {
  return schemaPath(form.key);
}

/** Every server that the file names, also those in a form that nobody knows. */
export function readEntries(form: McpConfigForm, content: unknown): FoundEntry[] {
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

export function findEntry(form: McpConfigForm, content: unknown, name: string): FoundEntry | undefined {
  return readEntries(form, content).find((entry) => entry.name === name);
}

export function addEntry(
  form: McpConfigForm,
  content: unknown,
  name: string,
  entry: Record<string, unknown>,
): ConfigChange[] {
  if (!form.list) return [{ path: [...holderPath(form), name], value: entry }];
  const holder = valueAtNative(content, holderPath(form));
  const path = [...holderPath(form), Array.isArray(holder) ? holder.length : 0];
  return [{ path, value: { name, ...entry } }];
}

/** Whether both are the same server to the agent, however they are written. */
export function isSameServer(
  form: McpConfigForm,
  one: Record<string, unknown>,
  other: Record<string, unknown>,
): boolean {
  const [left, right] = [decodeEntry(form, one), decodeEntry(form, other)];
  return left && right ? sameContent(left, right) : sameContent(one, other);
}

/** Key by key, so that comments stay, and so does what the form does not speak of: a time-out, a switch. */
export function changeEntry(form: McpConfigForm, found: FoundEntry, entry: Record<string, unknown>): ConfigChange[] {
  const server = decodeEntry(form, found.entry);
  const spoken = server ? form.encode(server, found.name) : found.entry;
  const gone = Object.keys(spoken).filter(
    (key) => key !== 'name' && Object.hasOwn(found.entry, key) && !(key in entry),
  );
  return [
    ...gone.map((key) => ({ path: [...found.path, key], value: undefined })),
    ...Object.entries(entry)
      .filter(([key, value]) => !sameContent(found.entry[key], value))
      .map(([key, value]) => ({ path: [...found.path, key], value })),
  ];
}

/** A form that stumbles over what it does not know does not know it. */
export function decodeEntry(form: McpConfigForm, entry: Record<string, unknown>) {
  try {
    return form.decode(entry);
  } catch {
    return null;
  }
}
