import type { AgentConfigSchema } from '../contract/auth-and-config.ts';
import type { ConfigFile, ConfigScope, ConfigTarget } from '../contract/native-config.ts';
import { expandPath } from '../files/paths.ts';
import { statFile } from '../files/stat.ts';
import type { NativeFile } from './edit-file.ts';

export interface ScopedFile extends NativeFile {
  scope: ConfigScope;
  /** The file is never created. */
  old?: boolean;
}

/** The schema's files in order of precedence: the user's, then the project's. */
export function filesOf(schema: AgentConfigSchema, where: ConfigTarget, env: NodeJS.ProcessEnv): ScopedFile[] {
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

/** Each file and whether it exists; in every scope the first existing one, or else the first, gets new values. */
export async function listFiles(files: readonly ScopedFile[]): Promise<ConfigFile[]> {
  const found = await Promise.all(files.map(({ path }) => statFile(path).catch(() => undefined)));
  const exists = new Set(files.filter((_, index) => found[index] !== undefined));
  return files.map((file) => {
    const scope = files.filter((other) => other.scope === file.scope);
    const newFirst = [...scope.filter(({ old }) => !old), ...scope.filter(({ old }) => old)];
    const taker = newFirst.find((other) => exists.has(other)) ?? newFirst[0];
    return { path: file.path, scope: file.scope, exists: exists.has(file), written: file === taker };
  });
}
