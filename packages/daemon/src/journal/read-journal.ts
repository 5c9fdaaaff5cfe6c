import { openRegularFile } from '@agent-mux/core';
import { listSegments, READ_ONLY, type Segment, seqOf } from './segments.ts';

/** So much of a journal is in memory at a time, unless one line is longer. */
const PIECE_BYTES = 256 * 1024;
/** A longer line is nothing that a keeper has written; it is passed over. */
const LONGEST_LINE_BYTES = 64 * 1024 * 1024;

interface JournalLine {
  seq: number;
  line: string;
}

export interface JournalFault {
  file: string;
  /** Where in the file. */
  offset: number;
  /** `garbage`: a line that is no event. `gap`: events are missing before the one that follows. */
  kind: 'garbage' | 'gap';
  problem: string;
}

export interface JournalPiece {
  lines: JournalLine[];
  faults: JournalFault[];
}

/**
 * What a keeper that is gone has left behind, after a seq, in pieces. Half a line at the end was told to nobody and is left out;
 * anything else that is wrong is reported and passed over.
 */
export async function* readJournal(
  folder: string,
  after: number,
  { pieceBytes = PIECE_BYTES }: { pieceBytes?: number } = {},
): AsyncGenerator<JournalPiece> {
  const segments = listSegments(folder);
  let last = after;
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1];
    if (next && next.first <= after + 1) continue;
    for await (const raw of linesOf(segment, pieceBytes, next === undefined)) {
      const piece = sift(raw, last, segment);
      last = piece.lines.at(-1)?.seq ?? last;
      if (piece.lines.length > 0 || piece.faults.length > 0) yield piece;
    }
  }
}

interface RawLine {
  offset: number;
  /** Undefined: too long. */
  line: string | undefined;
}

/** Those that are new, in order, and what is wrong. */
function sift(raw: readonly RawLine[], after: number, { path: file }: Segment): JournalPiece {
  const piece: JournalPiece = { lines: [], faults: [] };
  let last = after;
  for (const { offset, line } of raw) {
    const seq = line === undefined ? undefined : seqOf(line);
    if (seq === undefined || line === undefined) {
      const problem = line === undefined ? 'a line is too long' : 'a line is no event';
      piece.faults.push({ file, offset, kind: 'garbage', problem });
    } else if (seq > last) {
      if (seq > last + 1)
        piece.faults.push({ file, offset, kind: 'gap', problem: `events ${last + 1} to ${seq - 1} are missing` });
      piece.lines.push({ seq, line });
      last = seq;
    }
  }
  return piece;
}

async function* linesOf({ path }: Segment, pieceBytes: number, isLast: boolean): AsyncGenerator<RawLine[]> {
  await using file = await openRegularFile(path, READ_ONLY);
  let rest: Buffer[] = [];
  let restBytes = 0;
  let lineStart = 0;
  let position = 0;
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, position);
    if (bytesRead === 0) break;
    const chunk = buffer.subarray(0, bytesRead);
    const lines: RawLine[] = [];
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      const isTooLong = restBytes + end - from > LONGEST_LINE_BYTES;
      const line = isTooLong ? undefined : Buffer.concat([...rest, chunk.subarray(from, end)]).toString('utf8');
      lines.push({ offset: lineStart, line });
      [rest, restBytes] = [[], 0];
      from = end + 1;
      lineStart = position + from;
    }
    restBytes += chunk.length - from;
    if (restBytes > LONGEST_LINE_BYTES) rest = [];
    else if (from < chunk.length) rest.push(chunk.subarray(from));
    position += bytesRead;
    if (lines.length > 0) yield lines;
  }
  // Only the last segment may end within a line.
  if (restBytes > 0 && !isLast) yield [{ offset: lineStart, line: '' }];
}
