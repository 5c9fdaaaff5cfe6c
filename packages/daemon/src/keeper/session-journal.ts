import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionEvent } from '@agent-mux/api';
import { findStorageFailure, isRecord, messageOf } from '@agent-mux/core';
import { putBlob } from '../journal/blobs.ts';
import { type Journal, openJournal } from '../journal/open-journal.ts';
import { makeSanitizer, type Sanitized } from '../journal/sanitize.ts';
import { withoutContent } from '../journal/without-content.ts';
import { blobsBeside, journalIn } from '../places.ts';
import { KeeperError, storageRefusal } from './keeper-error.ts';
import type { Launch } from './protocol.ts';

/** A disk that is full is tried again so often. */
const RETRY_MS = 500;
/** So much is appended at once. */
const APPEND_CHARS = 512 * 1024;

export interface SessionJournal {
  readonly lastSeq: number;
  readonly bytes: number;
  /** Why nothing can be written at the moment. */
  readonly trouble: string | null;
  /** Waits while the disk is full. Nothing of them is lost, and their order is kept. */
  record(events: readonly SessionEvent[]): Promise<void>;
  /** At once and safe from a loss of power, or DISK_FULL or STORAGE_ERROR and nothing. */
  note(event: SessionEvent): void;
  /** What was held back of texts, and then this, as the last line. */
  finish(last: SessionEvent): Promise<void>;
  read: Journal['read'];
  acknowledge: Journal['acknowledge'];
  close(): void;
}

export interface JournalEars {
  /** Lines stand in the journal; the first has this seq. */
  appended(from: number, lines: readonly string[]): void;
  trouble(problem: string | null): void;
}

/** The choke point, the blob store and the journal of one launch, behind each other. */
export function openSessionJournal(launch: Launch, secrets: readonly string[], ears: JournalEars): SessionJournal {
  const { folder, firstSeq, limits } = launch;
  const journal = openJournal(journalIn(folder), { first: firstSeq });
  const blobs = blobsBeside(folder);
  const sanitizer = makeSanitizer({ secrets, inlineChars: limits.inlineChars });
  const clean = (event: SessionEvent) => sanitizer.take(limits.storeContent === false ? withoutContent(event) : event);
  let trouble: unknown = null;

  function say(error: unknown): void {
    const [before, problem] = [textOf(trouble), textOf(error)];
    trouble = error;
    if (problem === before) return;
    console.error(`${new Date().toISOString()} journal: ${problem ?? 'it can be written again'}`);
    ears.trouble(problem);
  }

  /** All or none; the numbers are given here, so that a note in between keeps them dense. */
  function write(cleaned: readonly Sanitized[]): void {
    for (const { blobs: large } of cleaned) for (const blob of large) putBlob(blobs, blob, folder);
    const from = journal.lastSeq + 1;
    const lines = cleaned.map(({ fields }, index) => JSON.stringify({ ...fields, seq: from + index }));
    journal.append(lines);
    // Whoever is told may fail; what stands in the journal is not written again for that.
    attempt('telling', () => ears.appended(from, lines));
  }

  async function writePatiently(cleaned: readonly Sanitized[]): Promise<void> {
    for (const piece of inPieces(cleaned)) {
      while (!tryToWrite(piece)) await sleep(RETRY_MS);
      say(null);
    }
  }

  function tryToWrite(piece: readonly Sanitized[]): boolean {
    try {
      write(piece);
      return true;
    } catch (error) {
      say(error);
      return false;
    }
  }

  function note(event: SessionEvent): void {
    if (trouble !== null) throw refusalOf(trouble);
    try {
      write(clean(event));
    } catch (error) {
      throw refusalOf(error);
    }
    // It stands in the journal and is accepted, whatever a broken disk makes of it after a loss of power.
    attempt('sync', journal.sync);
  }

  return {
    get lastSeq() {
      return journal.lastSeq;
    },
    get bytes() {
      return journal.bytes;
    },
    get trouble() {
      return textOf(trouble);
    },
    record: (events) => writePatiently(events.flatMap(clean)),
    note,
    finish: (last) => writePatiently([...sanitizer.flush(), ...clean(last)]),
    read: journal.read,
    acknowledge: journal.acknowledge,
    close: journal.close,
  };
}

function textOf(error: unknown): string | null {
  return error === null ? null : messageOf(error);
}

function attempt(what: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    console.error(`${what}: ${messageOf(error)}`);
  }
}

function refusalOf(error: unknown): KeeperError {
  const failure = findStorageFailure(error);
  const { code, hint } = failure
    ? storageRefusal(failure)
    : { code: 'STORAGE_ERROR', hint: 'see the log of the daemon' };
  return new KeeperError(code, `the journal cannot be written: ${failure?.message ?? messageOf(error)}`, hint);
}

/** About so much text each, at least one event. */
function inPieces(cleaned: readonly Sanitized[]): (readonly Sanitized[])[] {
  const pieces: Sanitized[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const one of cleaned) {
    if (chars > APPEND_CHARS) {
      pieces.push([]);
      chars = 0;
    }
    pieces.at(-1)?.push(one);
    chars += weigh(one.fields);
  }
  return pieces;
}

/** Roughly: most events are a short text. */
function weigh(fields: object): number {
  const { delta } = isRecord(fields) ? fields : {};
  return 300 + (typeof delta === 'string' ? delta.length : JSON.stringify(fields).length);
}
