import { readFileSync, rmSync, truncateSync } from 'node:fs';
import { listSegments, seqOf } from './segments.ts';

/**
 * Truncates a partial last line, which a killed process or a power loss may leave and which was never sent. Removes a
 * segment that is empty then. Returns the seq of the last event, or undefined.
 */
export function truncateTornTail(folder: string): number | undefined {
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
