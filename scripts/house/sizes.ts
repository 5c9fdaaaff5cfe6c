import { dirname } from 'node:path/posix';
import type { Source } from './sources.ts';

/** Nobody has to scroll. */
export const MOST_LINES = 400;
/** Of a folder itself, without its tests and without those of its own folders. */
export const MOST_SOURCES = 25;

/** Files that are too long, and folders that hold too many. */
export function findSizeFaults(sources: readonly Source[]): string[] {
  const long = sources.flatMap(({ path, text }) => {
    const lines = text.split('\n').length - 1;
    return lines > MOST_LINES
      ? [`${path} has ${lines} lines, and ${MOST_LINES} are the limit: cut it by what it does`]
      : [];
  });
  const folders = Map.groupBy(
    sources.filter(({ path }) => !path.endsWith('.test.ts')),
    ({ path }) => dirname(path),
  );
  const full = [...folders].flatMap(([folder, held]) =>
    held.length > MOST_SOURCES
      ? [`${folder} holds ${held.length} sources, and ${MOST_SOURCES} are the limit: it has more than one job`]
      : [],
  );
  return [...long, ...full];
}
