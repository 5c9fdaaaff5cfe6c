import { closeSync, fdatasync, fdatasyncSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { cutTornEnd } from './cut-torn-end.ts';
import { listSegments, NEW_FILE, readAt, type Segment, segmentPath, syncFolder } from './segments.ts';

/** A segment that has grown beyond this is followed by another one. */
const SEGMENT_BYTES = 4 * 1024 * 1024;
/** How much is looked at to find a line that is not where the last reading ended. */
const SEARCH_BYTES = 256 * 1024;

/**
 * The events of one launch, written before anybody is told. Its only writer is the keeper, which reads it again for a daemon
 * that lags. Costs O(bytes), in time; in memory a few numbers for each segment.
 */
export interface Journal {
  /** Of the last line; before the first one that of the event before it. */
  readonly lastSeq: number;
  /** So many bytes were appended. */
  readonly bytes: number;
  /**
   * All of these lines or none: where it throws (a full disk), the journal is as it was, and the same call may be tried again.
   * A line is the JSON of an event; the first has the seq after `lastSeq`, and so on.
   */
  append(lines: readonly string[]): void;
  /** Returns when all that was appended survives a loss of power. */
  sync(): void;
  /** The lines after a seq: about so many bytes, at least one line where there is one. `from`: the seq of the first. */
  read(after: number, maxBytes: number): { from: number; lines: string[] };
  /** All up to here is safe elsewhere: segments that hold nothing else are dropped. */
  acknowledge(seq: number): void;
  close(): void;
}

export interface JournalOptions {
  /** The seq of the first line. */
  first: number;
  segmentBytes?: number;
}

/** The journal has events that the launch was to begin with: they must be read before. */
export class JournalAhead extends Error {
  readonly lastSeq: number;

  constructor(folder: string, lastSeq: number, first: number) {
    super(`the journal ${folder} has events up to ${lastSeq} already, and the launch would begin with ${first}`);
    this.name = 'JournalAhead';
    this.lastSeq = lastSeq;
  }
}

/** An own segment; `file` is open while it is written or not yet safe. */
interface OwnSegment extends Segment {
  size: number;
}

interface Writing extends OwnSegment {
  file: number;
  isDirty: boolean;
  /** A part of a line may stand behind `size`, and is cut off before the next. */
  isTorn: boolean;
}

export function openJournal(folder: string, { first, segmentBytes = SEGMENT_BYTES }: JournalOptions): Journal {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const onDisk = cutTornEnd(folder);
  if (onDisk !== undefined && onDisk >= first) throw new JournalAhead(folder, onDisk, first);
  const older = listSegments(folder);
  const own: OwnSegment[] = [];
  /** Former segments that are being made safe. */
  const leaving = new Set<number>();
  let writing: Writing | undefined;
  let lastSeq = first - 1;
  let bytes = 0;
  let isFolderDirty = false;
  /** Where the next reading most likely begins. */
  let place: { seq: number; segment: OwnSegment; offset: number } | undefined;

  function segmentForWriting(): Writing {
    if (writing && writing.size < segmentBytes) return writing;
    const path = segmentPath(folder, lastSeq + 1);
    const next = {
      first: lastSeq + 1,
      path,
      size: 0,
      file: openSync(path, NEW_FILE, 0o600),
      isDirty: false,
      isTorn: false,
    };
    if (writing) letGo(writing);
    isFolderDirty = true;
    own.push(next);
    writing = next;
    return next;
  }

  /** In the background: the agent need not wait for four megabytes to reach the disk. */
  function letGo({ file }: Writing): void {
    leaving.add(file);
    fdatasync(file, () => {
      if (leaving.delete(file)) closeSync(file);
    });
  }

  function append(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const segment = segmentForWriting();
    if (segment.isTorn) mend(segment);
    const content = Buffer.from(`${lines.join('\n')}\n`);
    try {
      let written = 0;
      while (written < content.length) written += writeSync(segment.file, content, written);
    } catch (error) {
      segment.isTorn = true;
      throw error;
    }
    segment.size += content.length;
    segment.isDirty = true;
    bytes += content.length;
    lastSeq += lines.length;
  }

  function sync(): void {
    for (const file of leaving) fdatasyncSync(file);
    if (writing?.isDirty) {
      fdatasyncSync(writing.file);
      writing.isDirty = false;
    }
    if (isFolderDirty) syncFolder(folder);
    isFolderDirty = false;
  }

  function read(after: number, maxBytes: number): { from: number; lines: string[] } {
    const from = Math.max(after + 1, own[0]?.first ?? lastSeq + 1);
    const segment = own.findLast((one) => one.first <= from);
    if (!segment || from > lastSeq) return { from, lines: [] };
    const isThere = place?.seq === from && place.segment === segment;
    const offset = place && isThere ? place.offset : findLine(segment, from);
    const text = readLines(segment, offset, maxBytes);
    const lines = text.toString('utf8').split('\n');
    lines.pop();
    place = { seq: from + lines.length, segment, offset: offset + text.length };
    return { from, lines };
  }

  function acknowledge(seq: number): void {
    for (const segments of [older, own]) {
      for (let [oldest, next] = segments; oldest; [oldest, next] = segments) {
        const follower = next ?? (segments === older ? (own[0] ?? { first }) : undefined);
        if (!follower || follower.first > seq + 1) return;
        rmSync(oldest.path, { force: true });
        segments.shift();
      }
    }
  }

  function close(): void {
    if (writing) closeSync(writing.file);
    writing = undefined;
  }

  return {
    get lastSeq() {
      return lastSeq;
    },
    get bytes() {
      return bytes;
    },
    append,
    sync,
    read,
    acknowledge,
    close,
  };
}

function mend(segment: Writing): void {
  ftruncateSync(segment.file, segment.size);
  segment.isTorn = false;
}

function findLine(segment: OwnSegment, seq: number): number {
  let toSkip = seq - segment.first;
  for (let offset = 0; toSkip > 0; ) {
    const piece = readAt(segment.path, offset, Math.min(SEARCH_BYTES, segment.size - offset));
    for (let at = piece.indexOf(10); at !== -1; at = piece.indexOf(10, at + 1)) {
      toSkip -= 1;
      if (toSkip === 0) return offset + at + 1;
    }
    if (piece.length === 0) throw new Error(`${segment.path} has lost lines`);
    offset += piece.length;
  }
  return 0;
}

/** Whole lines; a longer one than `maxBytes` is read to its end. */
function readLines(segment: OwnSegment, offset: number, maxBytes: number): Buffer {
  for (let length = maxBytes; ; length *= 2) {
    const piece = readAt(segment.path, offset, Math.min(length, segment.size - offset));
    const end = piece.lastIndexOf(10);
    if (end !== -1) return piece.subarray(0, end + 1);
    if (offset + piece.length >= segment.size) throw new Error(`${segment.path} has lost lines`);
  }
}
