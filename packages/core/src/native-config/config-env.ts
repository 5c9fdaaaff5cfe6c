import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { ConfigScope } from '../contract/native-config.ts';
import type { AgentConfigSchema, AuthState, ConfigEnv } from '../contract/surroundings.ts';
import { lookAt } from '../files/look.ts';
import { expandPath, showPath } from '../files/paths.ts';
import { redactSecrets } from '../redact/redact.ts';
import { isRecord } from '../values.ts';
import { readNativeFile } from './edit-file.ts';
import { filesOf } from './scopes.ts';

/** A larger file is not read for names: it would delay every run. */
const NAMING_FILE_LIMIT = 2 * 1024 * 1024;

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A variable that an agent's own configuration names. */
export interface NamedVariable {
  name: string;
  /** As people write it. */
  file: string;
  /** Only what the user's own files name is handed over: a repository may name any secret of whoever opens it. */
  scope: ConfigScope;
  login: boolean;
}

/** The variables that the configuration names, the user's and the project's. A file that cannot be read names none. */
export async function readConfigEnv(
  schema: AgentConfigSchema,
  { env, cwd }: { env: NodeJS.ProcessEnv; cwd?: string },
): Promise<NamedVariable[]> {
  const found = await Promise.all((schema.env ?? []).map((place) => readNames(place, schema, env, cwd)));
  const known = new Map<string, NamedVariable>();
  for (const variable of found.flat()) {
    const { name, scope, login } = variable;
    const before = known.get(`${scope} ${name}`);
    known.set(`${scope} ${name}`, { ...(before ?? variable), login: login || (before?.login ?? false) });
  }
  return [...known.values()];
}

async function readNames(
  place: ConfigEnv,
  schema: AgentConfigSchema,
  env: NodeJS.ProcessEnv,
  cwd: string | undefined,
): Promise<NamedVariable[]> {
  const { login = false, orValue = false } = place;
  const files = await findNamingFiles(place, schema, env, cwd);
  const read = await Promise.all(
    files.map(async ({ path, scope }) => {
      const content = await contentOf({ agent: schema.agent, path, format: place.format ?? schema.format ?? 'json' });
      return textsAt(content, place)
        .flatMap((text) => (place.reference ? referencesIn(text, place.reference) : [text]))
        .filter((name) => isName(name) && (!orValue || env[name] !== undefined))
        .map((name): NamedVariable => ({ name, file: showPath(path, env), scope, login }));
    }),
  );
  return read.flat();
}

async function findNamingFiles(place: ConfigEnv, schema: AgentConfigSchema, env: NodeJS.ProcessEnv, cwd?: string) {
  if (place.file === undefined) return filesOf(schema, cwd === undefined ? { scope: 'global' } : { cwd }, env);
  const path = expandPath(place.file, env, cwd);
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
    if ((await lookAt(file.path)).size > NAMING_FILE_LIMIT) return undefined;
    return (await readNativeFile(file))?.content;
  } catch {
    // Whatever is wrong with it, the agent says it better, in its own words.
    return undefined;
  }
}

/** Without a reference only what stands at the path itself; with one all texts below it. */
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

/** A key that was written in the place of its name must not be told on as one. */
function isName(text: string): boolean {
  return VARIABLE_NAME.test(text) && redactSecrets(text) === text;
}

/** Those that the agent does not have, in words; undefined where it has all. */
function tellMissing(variables: readonly NamedVariable[], agentEnv: NodeJS.ProcessEnv): string | undefined {
  const missing = variables.filter(({ name }) => !agentEnv[name]);
  if (missing.length === 0) return undefined;
  return missing
    .map(({ name, file, scope }) =>
      scope === 'global'
        ? `${file} names ${name}, which is not set: set it, or pass it with --env ${name}=VALUE (SDK: env)`
        : `${file} names ${name}; what a project names is handed over on request only: --env ${name} (SDK: env)`,
    )
    .join('; ');
}

/**
 * What a failure has to do with variables that the agent does not have: those that it speaks of by name, and where a login
 * was refused all that would be one.
 */
export function explainFailure(
  failure: { type: string; message: string; stderr?: string },
  variables: readonly NamedVariable[],
  agentEnv: NodeJS.ProcessEnv,
): string | undefined {
  const words = new Set(`${failure.message}\n${failure.stderr ?? ''}`.match(/\w+/g));
  const named = variables.filter(({ name }) => words.has(name));
  const logins = failure.type === 'auth_error' ? variables.filter(({ login }) => login) : [];
  return tellMissing(named, agentEnv) ?? tellMissing(logins, agentEnv);
}

/** What the variables that the user's configuration names add to what is known of a login. */
export function withConfigEnv(
  state: AuthState,
  variables: readonly NamedVariable[],
  env: NodeJS.ProcessEnv,
): AuthState {
  // That a file names a provider says nothing of the key that it names in turn.
  if (state.status === 'authenticated' && state.method !== 'config_file') return state;
  const logins = variables.filter(({ login, scope }) => login && scope === 'global');
  const set = logins.find(({ name }) => env[name]);
  if (set) {
    const details = `${set.name} is set, which ${set.file} names`;
    return { status: 'authenticated', method: 'api_key', details };
  }
  const missing = tellMissing(logins, env);
  if (missing === undefined) return state;
  return { ...state, details: state.details === undefined ? missing : `${state.details}; ${missing}` };
}

/** The allow-list of an agent on this machine: its adapter's, and what the user's configuration of it names. */
export async function ownNames(adapter: AgentAdapter, env: NodeJS.ProcessEnv): Promise<string[]> {
  const named = await readConfigEnv(adapter.configSchema, { env });
  return [...(adapter.envAllowList ?? []), ...named.map(({ name }) => name)];
}
