import { openRegularFile } from '@agent-mux/core';
import { listSegments, READ_ONLY, type Segment, seqOf } from './segments.ts';

/** Bytes held in memory at a time, unless a line is longer. */
const CHUNK_BYTES = 256 * 1024;
/** A keeper never writes longer lines; they are skipped. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

interface JournalLine {
  seq: number;
  line: string;
}

export interface JournalCorruption {
  file: string;
  /** Position in the file. */
  offset: number;
  /** `garbage`: a line that is not an event. `gap`: events are missing before the following one. */
  kind: 'garbage' | 'gap';
  problem: string;
}

export interface JournalChunk {
  lines: JournalLine[];
  issues: JournalCorruption[];
}

/**
 * Reads the journal of an exited keeper after a seq, in chunks. Ignores a partial line at the end, which was never
 * sent. Reports and skips any other corruption.
 */
export async function* readJournal(
  folder: string,
  after: number,
  { chunkBytes = CHUNK_BYTES }: { chunkBytes?: number } = {},
): AsyncGenerator<JournalChunk> {
  const segments = listSegments(folder);
  let last = after;
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1];
    if (next && next.first <= after + 1) continue;
    for await (const raw of linesOf(segment, chunkBytes, next === undefined)) {
      const result = classifyLines(raw, last, segment);
      last = result.lines.at(-1)?.seq ?? last;
      if (result.lines.length > 0 || result.issues.length > 0) yield result;
    }
  }
}

interface RawLine {
  offset: number;
  /** Undefined if the line is too long. */
  line: string | undefined;
}

/** The new lines in order, and the corruption found. */
function classifyLines(raw: readonly RawLine[], after: number, { path: file }: Segment): JournalChunk {
  const result: JournalChunk = { lines: [], issues: [] };
  let last = after;
  for (const { offset, line } of raw) {
    const seq = line === undefined ? undefined : seqOf(line);
    if (seq === undefined || line === undefined) {
      const problem = line === undefined ? 'a line is too long' : 'a line is not an event';
      result.issues.push({ file, offset, kind: 'garbage', problem });
    } else if (seq > last) {
      if (seq > last + 1)
        result.issues.push({ file, offset, kind: 'gap', problem: `events ${last + 1} to ${seq - 1} are missing` });
      result.lines.push({ seq, line });
      last = seq;
    }
  }
  return result;
}

async function* linesOf({ path }: Segment, chunkBytes: number, isLast: boolean): AsyncGenerator<RawLine[]> {
  await using file = await openRegularFile(path, READ_ONLY);
  let rest: Buffer[] = [];
  let restBytes = 0;
  let lineStart = 0;
  let position = 0;
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    const lines: RawLine[] = [];
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      const isTooLong = restBytes + end - from > MAX_LINE_BYTES;
      const line = isTooLong ? undefined : Buffer.concat([...rest, chunk.subarray(from, end)]).toString('utf8');
      lines.push({ offset: lineStart, line });
      [rest, restBytes] = [[], 0];
      from = end + 1;
      lineStart = position + from;
    }
    restBytes += chunk.length - from;
    if (restBytes > MAX_LINE_BYTES) rest = [];
    else if (from < chunk.length) rest.push(chunk.subarray(from));
    position += bytesRead;
    if (lines.length > 0) yield lines;
  }
  // Only the last segment may end within a line.
  if (restBytes > 0 && !isLast) yield [{ offset: lineStart, line: '' }];
}
