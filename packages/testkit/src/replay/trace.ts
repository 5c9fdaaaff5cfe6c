import { TRACE_SCHEMA } from '@agent-mux/core';
import { toLines } from './lines.ts';
import type { RecordedLine } from './recording.ts';

type Side = { direction: RecordedLine['direction']; rest: Buffer };

/**
 * A trace (`RunOptions.tracePath`) as a recording: its chunks are split into lines again, each at the position where it
 * was complete. stderr is left out. Null: not a trace.
 */
export function parseTrace(lines: readonly string[]): RecordedLine[] | null {
  if (!lines[0]?.includes(`"schema":"${TRACE_SCHEMA}"`)) return null;
  const recorded: RecordedLine[] = [];
  const sides = new Map<unknown, Side>([
    ['in', { direction: 'out', rest: Buffer.alloc(0) }],
    ['stdout', { direction: 'in', rest: Buffer.alloc(0) }],
  ]);
  for (const text of lines.slice(1)) {
    const { dir, data, base64 } = JSON.parse(text);
    const side = sides.get(dir);
    if (!side) continue;
    const chunk = typeof base64 === 'string' ? Buffer.from(base64, 'base64') : Buffer.from(String(data ?? ''));
    const bytes = Buffer.concat([side.rest, chunk]);
    const whole = bytes.lastIndexOf(0x0a) + 1;
    side.rest = bytes.subarray(whole);
    for (const line of toLines(bytes.subarray(0, whole))) recorded.push({ direction: side.direction, line });
  }
  for (const { direction, rest } of sides.values()) {
    if (rest.length > 0) recorded.push({ direction, line: rest.toString() });
  }
  return recorded;
}
