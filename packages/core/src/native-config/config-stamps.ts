import { statSync } from 'node:fs';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import { filesOf } from './scopes.ts';

/** A stamp of each file of an agent's own configuration, by path; it differs whenever the file does. */
export type ConfigStamps = ReadonlyMap<string, string>;

/** Files that a running process may not have read yet. */
export function stampConfig(
  { configSchema }: AgentAdapter,
  { cwd, invocation }: ResolvedRunOptions,
  env: NodeJS.ProcessEnv,
): ConfigStamps {
  if (invocation.mode !== 'local') return new Map();
  return new Map(filesOf(configSchema, { cwd }, env).map(({ path }) => [path, stampOf(path)]));
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return [ino, size, mtimeMs].join(' ');
  } catch {
    return '';
  }
}
