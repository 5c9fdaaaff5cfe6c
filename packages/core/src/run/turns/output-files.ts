import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { EventBody } from '../../contract/events.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';

/** What is wrong with a file that an agent hands over. Of one in another place nothing can be known here. */
export function missingFile(
  { path }: Extract<EventBody, { type: 'file_output' }>,
  { cwd, invocation, agent }: ResolvedRunOptions,
): string | undefined {
  if (invocation.mode !== 'local') return undefined;
  try {
    const stats = statSync(resolve(cwd, path), { throwIfNoEntry: false });
    if (stats?.isFile()) return undefined;
    return `${agent} names ${path} as a file for the user, but it ${stats ? 'is no file' : 'does not exist'}`;
  } catch (error) {
    return `${agent} names ${path} as a file for the user, but: ${error instanceof Error ? error.message : error}`;
  }
}
