import { closeSync, fdatasync, fdatasyncSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { listSegments, NEW_FILE, readAt, type Segment, segmentPath, syncFolder } from './segments.ts';
import { truncateTornTail } from './truncate-torn-tail.ts';

/** Size after which a new segment is started. */
const SEGMENT_BYTES = 4 * 1024 * 1024;
/** Bytes read at a time when searching for a line that does not follow the last read. */
const SEARCH_BYTES = 256 * 1024;

/**
 * The events of one launch, written before they are sent. The keeper is the only writer and reads the journal again for
 * a daemon that lags behind. Takes O(bytes) time, and memory for a few numbers per segment.
 */
export interface Journal {
  /** Seq of the last line; initially that of the event before the first line. */
  readonly lastSeq: number;
  /** Number of bytes appended. */
  readonly bytes: number;
  /**
   * Appends all lines or none: if it throws (full disk), the journal is unchanged and the call can be retried. Each
   * line is the JSON of an event; the first has the seq `lastSeq + 1`, and so on.
   */
  append(lines: readonly string[]): void;
  /** Returns when all appended lines survive a power loss. */
  sync(): void;
  /** Lines after a seq: about `maxBytes`, but at least one line if there is one. `from`: the seq of the first. */
  read(after: number, maxBytes: number): { from: number; lines: string[] };
  /** Everything up to `seq` is stored by the daemon: deletes segments that contain nothing newer. */
  acknowledge(seq: number): void;
  close(): void;
}

export interface JournalOptions {
  /** The seq of the first line. */
  first: number;
  segmentBytes?: number;
}

/** The journal already has events with the first seq of the launch; they must be read first. */
export class JournalAheadError extends Error {
  readonly lastSeq: number;

  constructor(folder: string, lastSeq: number, first: number) {
    super(`the journal ${folder} already has events up to ${lastSeq}, but the launch starts at ${first}`);
    this.name = 'JournalAheadError';
    this.lastSeq = lastSeq;
  }
}

/** A segment of this launch. */
interface OwnSegment extends Segment {
  size: number;
}

interface OpenSegment extends OwnSegment {
  file: number;
  isDirty: boolean;
  /** There may be a partial line after `size`; it is truncated before the next write. */
  isTorn: boolean;
}

export function openJournal(folder: string, { first, segmentBytes = SEGMENT_BYTES }: JournalOptions): Journal {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const onDisk = truncateTornTail(folder);
  if (onDisk !== undefined && onDisk >= first) throw new JournalAheadError(folder, onDisk, first);
  const older = listSegments(folder);
  const own: OwnSegment[] = [];
  /** Files of full segments that are being synced. */
  const syncing = new Set<number>();
  let writing: OpenSegment | undefined;
  let lastSeq = first - 1;
  let bytes = 0;
  let isFolderDirty = false;
  /** Position where the next read most likely starts. */
  let position: { seq: number; segment: OwnSegment; offset: number } | undefined;

  function segmentForWriting(): OpenSegment {
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
    if (writing) syncAndClose(writing);
    isFolderDirty = true;
    own.push(next);
    writing = next;
    return next;
  }

  /** Runs in the background, so that the agent does not wait for four megabytes to reach the disk. */
  function syncAndClose({ file }: OpenSegment): void {
    syncing.add(file);
    fdatasync(file, () => {
      if (syncing.delete(file)) closeSync(file);
    });
  }

  function append(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const segment = segmentForWriting();
    if (segment.isTorn) truncateTorn(segment);
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
    for (const file of syncing) fdatasyncSync(file);
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
    const isAtPosition = position?.seq === from && position.segment === segment;
    const offset = position && isAtPosition ? position.offset : findLine(segment, from);
    const text = readLines(segment, offset, maxBytes);
    const lines = text.toString('utf8').split('\n');
    lines.pop();
    position = { seq: from + lines.length, segment, offset: offset + text.length };
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

function truncateTorn(segment: OpenSegment): void {
  ftruncateSync(segment.file, segment.size);
  segment.isTorn = false;
}

function findLine(segment: OwnSegment, seq: number): number {
  let toSkip = seq - segment.first;
  for (let offset = 0; toSkip > 0; ) {
    const chunk = readAt(segment.path, offset, Math.min(SEARCH_BYTES, segment.size - offset));
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) {
      toSkip -= 1;
      if (toSkip === 0) return offset + at + 1;
    }
    if (chunk.length === 0) throw new Error(`${segment.path} is missing lines`);
    offset += chunk.length;
  }
  return 0;
}

/** Reads whole lines; a line longer than `maxBytes` is read to its end. */
function readLines(segment: OwnSegment, offset: number, maxBytes: number): Buffer {
  for (let length = maxBytes; ; length *= 2) {
    const chunk = readAt(segment.path, offset, Math.min(length, segment.size - offset));
    const end = chunk.lastIndexOf(10);
    if (end !== -1) return chunk.subarray(0, end + 1);
    if (offset + chunk.length >= segment.size) throw new Error(`${segment.path} is missing lines`);
  }
}
