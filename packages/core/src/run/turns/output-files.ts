import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { EventBody } from '../../contract/events.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';

/** The problem with a file that an agent outputs. Remote files cannot be checked here. */
export function missingFile(
  { path }: Extract<EventBody, { type: 'file_output' }>,
  { cwd, invocation, agent }: ResolvedRunOptions,
): string | undefined {
  if (invocation.mode !== 'local') return undefined;
  try {
    const stats = statSync(resolve(cwd, path), { throwIfNoEntry: false });
    if (stats?.isFile()) return undefined;
    return `${agent} reported the output file ${path}, which ${stats ? 'is not a file' : 'does not exist'}`;
  } catch (error) {
    return `cannot check the output file ${path} reported by ${agent}: ${error instanceof Error ? error.message : error}`;
  }
}
