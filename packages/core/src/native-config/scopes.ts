import type { ConfigFile, ConfigScope, ConfigWhere } from '../contract/native-config.ts';
import type { AgentConfigSchema } from '../contract/surroundings.ts';
import { lookAt } from '../files/look.ts';
import { expandPath } from '../files/paths.ts';
import type { NativeFile } from './edit-file.ts';

export interface ScopedFile extends NativeFile {
  scope: ConfigScope;
  /** It is never made anew. */
  old?: boolean;
}

/** The schema's files in the order in which they count: the user's, then the project's. */
export function filesOf(schema: AgentConfigSchema, where: ConfigWhere, env: NodeJS.ProcessEnv): ScopedFile[] {
  const { cwd = process.cwd(), scope } = where;
  const format = schema.format ?? 'json';
  const user = [...(schema.oldConfigFilePaths ?? []), ...schema.configFilePaths].map((path): ScopedFile => {
    const old = !schema.configFilePaths.includes(path);
    return { agent: schema.agent, format, scope: 'global', path: expandPath(path, env, cwd), ...(old ? { old } : {}) };
  });
  const project = schema.projectConfigFilePaths.map(
    (path): ScopedFile => ({
      agent: schema.agent,
      format,
      scope: 'project',
      path: expandPath(path, env, cwd),
      within: cwd,
    }),
  );
  const all = [...user, ...project.filter(({ path }) => !user.some((own) => own.path === path))];
  return scope === undefined ? all : all.filter((file) => file.scope === scope);
}

/** Each with whether it is there; in every scope the first that is there takes what is new, or else the first. */
export async function listFiles(files: readonly ScopedFile[]): Promise<ConfigFile[]> {
  const found = await Promise.all(files.map(({ path }) => lookAt(path).catch(() => undefined)));
  const exists = new Set(files.filter((_, index) => found[index] !== undefined));
  return files.map((file) => {
    const scope = files.filter((other) => other.scope === file.scope);
    const newFirst = [...scope.filter(({ old }) => !old), ...scope.filter(({ old }) => old)];
    const taker = newFirst.find((other) => exists.has(other)) ?? newFirst[0];
    return { path: file.path, scope: file.scope, exists: exists.has(file), written: file === taker };
  });
}
