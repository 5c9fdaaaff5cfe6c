import { dirname } from 'node:path/posix';
import type { Source } from './sources.ts';

/** Maximum lines of a file. */
export const MAX_LINES = 400;
/** Maximum sources directly in a folder, not counting tests. */
export const MAX_SOURCES = 25;

/** Files with too many lines, and folders with too many sources. */
export function findSizeViolations(sources: readonly Source[]): string[] {
  const long = sources.flatMap(({ path, text }) => {
    const lines = text.split('\n').length - 1;
    return lines > MAX_LINES ? [`${path} has ${lines} lines (maximum ${MAX_LINES}): split it by responsibility`] : [];
  });
  const folders = Map.groupBy(
    sources.filter(({ path }) => !path.endsWith('.test.ts')),
    ({ path }) => dirname(path),
  );
  const full = [...folders].flatMap(([folder, held]) =>
    held.length > MAX_SOURCES
      ? [`${folder} has ${held.length} sources (maximum ${MAX_SOURCES}): split it by responsibility`]
      : [],
  );
  return [...long, ...full];
}
