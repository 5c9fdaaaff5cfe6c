import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { listSegments, segmentPath, seqOf } from './segments.ts';
import { truncateTornTail } from './truncate-torn-tail.ts';

/**
 * Trims a journal that no keeper writes and that the store has completely. The last line stays, so that a late keeper
 * of an earlier launch detects that the session has continued without it.
 */
export function trimJournal(folder: string, storedUpTo: number): void {
  const last = truncateTornTail(folder);
  if (last === undefined || last > storedUpTo) return;
  const segments = listSegments(folder);
  const newest = segments.at(-1);
  if (!newest) return;
  const line = readFileSync(newest.path, 'utf8')
    .split('\n')
    .findLast((each) => seqOf(each) !== undefined);
  const path = segmentPath(folder, last);
  const temporary = `${path}.trimmed`;
  writeFileSync(temporary, `${line}\n`, { mode: 0o600 });
  renameSync(temporary, path);
  for (const segment of segments) if (segment.path !== path) rmSync(segment.path, { force: true });
}
