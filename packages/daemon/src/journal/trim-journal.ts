import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { cutTornEnd } from './cut-torn-end.ts';
import { listSegments, segmentPath, seqOf } from './segments.ts';

/**
 * No keeper writes it, and all of it is safe elsewhere: only the last line stays, by which a keeper that was started for an
 * earlier launch and comes late knows that the session has gone on without it.
 */
export function trimJournal(folder: string, safeUpTo: number): void {
  const last = cutTornEnd(folder);
  if (last === undefined || last > safeUpTo) return;
  const segments = listSegments(folder);
  const newest = segments.at(-1);
  if (!newest) return;
  const line = readFileSync(newest.path, 'utf8')
    .split('\n')
    .findLast((each) => seqOf(each) !== undefined);
  const path = segmentPath(folder, last);
  const unfinished = `${path}.trimmed`;
  writeFileSync(unfinished, `${line}\n`, { mode: 0o600 });
  renameSync(unfinished, path);
  for (const segment of segments) if (segment.path !== path) rmSync(segment.path, { force: true });
}
