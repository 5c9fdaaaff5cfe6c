import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { AgentConfigSchema, AuthState, ConfigEnv } from '../contract/auth-and-config.ts';
import type { ConfigScope } from '../contract/native-config.ts';
import { expandPath, showPath } from '../files/paths.ts';
import { statFile } from '../files/stat.ts';
import { redactSecrets } from '../redact/redact.ts';
import { isRecord } from '../values.ts';
import { readNativeFile } from './edit-file.ts';
import { filesOf } from './scopes.ts';

/** A larger file is not searched for names: it would delay every run. */
const NAMING_FILE_LIMIT = 2 * 1024 * 1024;

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A variable that an agent's own configuration names. */
export interface NamedVariable {
  name: string;
  /** In display form. */
  file: string;
  /** Only variables named by the user's own files are passed: a repository may name any secret of its user. */
  scope: ConfigScope;
  login: boolean;
}

/** The variables named by the configuration of the user and the project. A file that cannot be read names none. */
export async function readConfigEnv(
  schema: AgentConfigSchema,
  { env, cwd }: { env: NodeJS.ProcessEnv; cwd?: string },
): Promise<NamedVariable[]> {
  const found = await Promise.all((schema.env ?? []).map((source) => readNames(source, schema, env, cwd)));
  const known = new Map<string, NamedVariable>();
  for (const variable of found.flat()) {
    const { name, scope, login } = variable;
    const before = known.get(`${scope} ${name}`);
    known.set(`${scope} ${name}`, { ...(before ?? variable), login: login || (before?.login ?? false) });
  }
  return [...known.values()];
}

async function readNames(
  source: ConfigEnv,
  schema: AgentConfigSchema,
  env: NodeJS.ProcessEnv,
  cwd: string | undefined,
): Promise<NamedVariable[]> {
  const { login = false, orValue = false } = source;
  const files = await findNamingFiles(source, schema, env, cwd);
  const read = await Promise.all(
    files.map(async ({ path, scope }) => {
      const content = await contentOf({ agent: schema.agent, path, format: source.format ?? schema.format ?? 'json' });
      return textsAt(content, source)
        .flatMap((text) => (source.reference ? referencesIn(text, source.reference) : [text]))
        .filter((name) => isName(name) && (!orValue || env[name] !== undefined))
        .map((name): NamedVariable => ({ name, file: showPath(path, env), scope, login }));
    }),
  );
  return read.flat();
}

async function findNamingFiles(source: ConfigEnv, schema: AgentConfigSchema, env: NodeJS.ProcessEnv, cwd?: string) {
  if (source.file === undefined) return filesOf(schema, cwd === undefined ? { scope: 'global' } : { cwd }, env);
  const path = expandPath(source.file, env, cwd);
  const scope: ConfigScope = 'global';
  if (!basename(path).includes('*')) return [{ path, scope }];
  const [start = '', end = ''] = basename(path).split('*');
  const names = await readdir(dirname(path)).catch(() => []);
  return names
    .filter((name) => name.startsWith(start) && name.endsWith(end))
    .map((name) => ({ path: join(dirname(path), name), scope }));
}

async function contentOf(file: Parameters<typeof readNativeFile>[0]): Promise<unknown> {
  try {
    if ((await statFile(file.path)).size > NAMING_FILE_LIMIT) return undefined;
    return (await readNativeFile(file))?.content;
  } catch {
    // The agent reports a problem of the file better itself.
    return undefined;
  }
}

/** Without a reference only the text at the path itself; with one all texts below it. */
function textsAt(content: unknown, { fields, reference }: ConfigEnv): string[] {
  const values = fields ? fields.flatMap((field) => valuesAt(content, field.split('.'))) : [content];
  return reference || !fields ? values.flatMap(textsBelow) : values.filter((value) => typeof value === 'string');
}

function valuesAt(value: unknown, [key, ...rest]: readonly string[]): unknown[] {
  if (key === undefined) return [value];
  if (key === '*') return innerOf(value).flatMap((inner) => valuesAt(inner, rest));
  return isRecord(value) && Object.hasOwn(value, key) ? valuesAt(value[key], rest) : [];
}

function textsBelow(value: unknown): string[] {
  return typeof value === 'string' ? [value] : innerOf(value).flatMap(textsBelow);
}

function innerOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
}

function referencesIn(text: string, reference: RegExp): string[] {
  const all = new RegExp(reference, reference.flags.includes('g') ? reference.flags : `${reference.flags}g`);
  return [...text.matchAll(all)].flatMap(([, ...groups]) => groups.find((group) => group) ?? []);
}

/** A key written instead of its name must not be reported as a name. */
function isName(text: string): boolean {
  return VARIABLE_NAME.test(text) && redactSecrets(text) === text;
}

/** Describes the variables that the agent lacks; undefined if it has all. */
function describeMissing(variables: readonly NamedVariable[], agentEnv: NodeJS.ProcessEnv): string | undefined {
  const missing = variables.filter(({ name }) => !agentEnv[name]);
  if (missing.length === 0) return undefined;
  return missing
    .map(({ name, file, scope }) =>
      scope === 'global'
        ? `${file} names ${name}, which is not set: set it, or pass it with --env ${name}=VALUE (SDK: env)`
        : `${file} names ${name}; variables named by a project are passed only on request: --env ${name} (SDK: env)`,
    )
    .join('; ');
}

/**
 * Explains a failure by variables that the agent lacks: those that the failure mentions, and for a refused login all
 * that would be a login.
 */
export function explainFailure(
  failure: { type: string; message: string; stderr?: string },
  variables: readonly NamedVariable[],
  agentEnv: NodeJS.ProcessEnv,
): string | undefined {
  const mentioned = new Set(`${failure.message}\n${failure.stderr ?? ''}`.match(/\w+/g));
  const named = variables.filter(({ name }) => mentioned.has(name));
  const logins = failure.type === 'auth_error' ? variables.filter(({ login }) => login) : [];
  return describeMissing(named, agentEnv) ?? describeMissing(logins, agentEnv);
}

/** What the variables named by the user's configuration add to the login state. */
export function withConfigEnv(
  state: AuthState,
  variables: readonly NamedVariable[],
  env: NodeJS.ProcessEnv,
): AuthState {
  // A file that names a provider says nothing about the provider's key.
  if (state.status === 'authenticated' && state.method !== 'config_file') return state;
  const logins = variables.filter(({ login, scope }) => login && scope === 'global');
  const set = logins.find(({ name }) => env[name]);
  if (set) {
    const details = `${set.name} is set (named by ${set.file})`;
    return { status: 'authenticated', method: 'api_key', details };
  }
  const missing = describeMissing(logins, env);
  if (missing === undefined) return state;
  return { ...state, details: state.details === undefined ? missing : `${state.details}; ${missing}` };
}

/** The allow-list of an agent on this machine: its adapter's, plus the names in the user's configuration. */
export async function declaredNames(adapter: AgentAdapter, env: NodeJS.ProcessEnv): Promise<string[]> {
  const named = await readConfigEnv(adapter.configSchema, { env });
  return [...(adapter.envAllowList ?? []), ...named.map(({ name }) => name)];
}
