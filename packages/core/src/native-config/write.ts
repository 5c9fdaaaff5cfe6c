import type { AgentConfig, AgentConfigSchema } from '../contract/auth-and-config.ts';
import { CapabilityError } from '../contract/errors.ts';
import type { ConfigChangeResult, ConfigFileChange, ConfigScope, ConfigTarget } from '../contract/native-config.ts';
import { valueAtNative } from './changes.ts';
import type { ConfigChange } from './codecs.ts';
import { editNativeFile } from './edit-file.ts';
import { changesOf } from './fields.ts';
import { type ReadFile, readFiles } from './read.ts';
import { filesOf, listFiles, type ScopedFile } from './scopes.ts';

export type NamedChange = ConfigChange & { name: string };

export interface WriteTarget extends ConfigTarget {
  env?: NodeJS.ProcessEnv;
  dryRun?: boolean;
}

/**
 * A value is changed in the last file that has it, since that one is effective. A new value goes into the first
 * existing file. A removed value is removed from all files of the scope.
 */
export async function writeChanges(
  schema: AgentConfigSchema,
  changes: readonly NamedChange[],
  target: WriteTarget,
): Promise<ConfigChangeResult> {
  const { env = process.env, dryRun = false, cwd } = target;
  const scope: ConfigScope = target.scope ?? 'global';
  const files = filesOf(schema, { cwd, scope }, env);
  const read = await readFiles(files);
  const newValueFile = files[(await listFiles(files)).findIndex(({ written }) => written)];
  if (!newValueFile) throw refuseWithoutFile(schema, scope);
  const grouped = new Map<ScopedFile, NamedChange[]>();
  for (const change of changes) {
    for (const file of filesFor(change, files, read, newValueFile)) {
      grouped.set(file, [...(grouped.get(file) ?? []), change]);
    }
  }
  // All of them are tried before the first is written.
  if (!dryRun && grouped.size > 1) {
    for (const [file, own] of grouped) await editNativeFile(file, () => own, { env, dryRun: true });
  }
  const done: ConfigFileChange[] = [];
  for (const [file, own] of grouped) {
    const edit = await editNativeFile(file, () => own, { env, dryRun });
    done.push({ names: own.map(({ name }) => name), ...edit });
  }
  return {
    agent: schema.agent,
    scope,
    files: done,
    overruled: await findOverruling(schema, changes, { scope, cwd, env }),
  };
}

function filesFor(
  { path, value }: NamedChange,
  files: readonly ScopedFile[],
  read: readonly ReadFile[],
  newValueFile: ScopedFile,
): ScopedFile[] {
  const having = files.filter((file) =>
    read.some((one) => one.path === file.path && valueAtNative(one.content, path) !== undefined),
  );
  return value === undefined ? having : [having.at(-1) ?? newValueFile];
}

/** A broken project file is ignored: it has no values. */
async function findOverruling(
  schema: AgentConfigSchema,
  changes: readonly NamedChange[],
  { scope, cwd, env }: { scope: ConfigScope; cwd: string | undefined; env: NodeJS.ProcessEnv },
): Promise<{ name: string; file: string }[]> {
  if (scope === 'project') return [];
  const later = await readFiles(filesOf(schema, { cwd, scope: 'project' }, env)).catch(() => []);
  return changes.flatMap(({ name, path, value }) => {
    const file = later.findLast(({ content }) => valueAtNative(content, path) !== undefined);
    return file && value !== undefined ? [{ name, file: file.path }] : [];
  });
}

function refuseWithoutFile(schema: AgentConfigSchema, scope: ConfigScope): CapabilityError {
  const whose = scope === 'global' ? "user's" : "project's";
  return new CapabilityError(schema.agent, 'config', `no ${whose} configuration file of ${schema.agent} is supported`);
}

/** Sets the given values and keeps all others. Writes the project's file with a `cwd`, otherwise the user's. */
export async function writeNativeConfig(
  schema: AgentConfigSchema,
  config: Partial<AgentConfig>,
  target: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<void> {
  const changes = changesOf(schema, {
    ...config.values,
    ...(config.model === undefined ? {} : { model: config.model }),
  });
  if (changes.length === 0) return;
  const inProject = target.cwd !== undefined && schema.projectConfigFilePaths.length > 0;
  await writeChanges(schema, changes, { ...target, scope: inProject ? 'project' : 'global' });
}
