import { readFileSync, rmSync, truncateSync } from 'node:fs';
import { listSegments, seqOf } from './segments.ts';

/**
 * A process that was killed, or a loss of power, may leave half a line at the end. It was told to nobody, and is cut off; a
 * segment of which nothing is left is removed. Returns the seq of the last event; undefined: there is none.
 */
export function cutTornEnd(folder: string): number | undefined {
  for (const { path } of listSegments(folder).reverse()) {
    const content = readFileSync(path);
    const end = content.lastIndexOf(10) + 1;
    if (end === 0) {
      rmSync(path);
      continue;
    }
    if (end < content.length) truncateSync(path, end);
    const lines = content.subarray(0, end).toString('utf8').split('\n');
    const last = lines.findLast((line) => seqOf(line) !== undefined);
    if (last !== undefined) return seqOf(last);
  }
  return undefined;
}
