import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionEvent } from '@agent-mux/api';
import { findStorageFailure, isRecord, messageOf } from '@agent-mux/core';
import { putBlob } from '../journal/blobs.ts';
import { type Journal, openJournal } from '../journal/open-journal.ts';
import { createSanitizer, type Sanitized } from '../journal/sanitize.ts';
import { withoutContent } from '../journal/without-content.ts';
import { blobsDirFor, journalIn } from '../paths.ts';
import { KeeperError, storageErrorInfo } from './keeper-error.ts';
import type { LaunchSpec } from './protocol.ts';

/** Interval of write retries while the disk is full. */
const RETRY_MS = 500;
/** Approximate size of one append. */
const APPEND_CHARS = 512 * 1024;

export interface SessionJournal {
  readonly lastSeq: number;
  readonly bytes: number;
  /** Why the journal cannot be written at the moment, or null. */
  readonly storageError: string | null;
  /** Appends the events in order. Waits while the disk is full; loses none. */
  record(events: readonly SessionEvent[]): Promise<void>;
  /** Appends and syncs immediately. Throws DISK_FULL or STORAGE_ERROR, and then appends nothing. */
  note(event: SessionEvent): void;
  /** Appends withheld text, then `last` as the final line. */
  finish(last: SessionEvent): Promise<void>;
  read: Journal['read'];
  acknowledge: Journal['acknowledge'];
  close(): void;
}

export interface JournalListener {
  /** Lines were appended; the first has this seq. */
  appended(from: number, lines: readonly string[]): void;
  storageError(problem: string | null): void;
}

/** Sends the events of one launch through the sanitizer and the blob store into the journal. */
export function openSessionJournal(
  launch: LaunchSpec,
  secrets: readonly string[],
  listener: JournalListener,
): SessionJournal {
  const { folder, firstSeq, limits } = launch;
  const journal = openJournal(journalIn(folder), { first: firstSeq });
  const blobs = blobsDirFor(folder);
  const sanitizer = createSanitizer({ secrets, maxInlineChars: limits.maxInlineChars });
  const clean = (event: SessionEvent) => sanitizer.take(limits.storeContent === false ? withoutContent(event) : event);
  let storageError: unknown = null;

  function setTrouble(error: unknown): void {
    const [before, problem] = [textOf(storageError), textOf(error)];
    storageError = error;
    if (problem === before) return;
    console.error(`${new Date().toISOString()} journal: ${problem ?? 'writable again'}`);
    listener.storageError(problem);
  }

  /** All or nothing. Assigns the seqs here, so that they stay dense when `note` writes in between. */
  function write(cleaned: readonly Sanitized[]): void {
    for (const { blobs: large } of cleaned) for (const blob of large) putBlob(blobs, blob, folder);
    const from = journal.lastSeq + 1;
    const lines = cleaned.map(({ fields }, index) => JSON.stringify({ ...fields, seq: from + index }));
    journal.append(lines);
    // A failing listener must not cause the lines to be written again.
    attempt('notify', () => listener.appended(from, lines));
  }

  async function writeWithRetry(cleaned: readonly Sanitized[]): Promise<void> {
    for (const chunk of splitIntoChunks(cleaned)) {
      while (!tryToWrite(chunk)) await sleep(RETRY_MS);
      setTrouble(null);
    }
  }

  function tryToWrite(chunk: readonly Sanitized[]): boolean {
    try {
      write(chunk);
      return true;
    } catch (error) {
      setTrouble(error);
      return false;
    }
  }

  function note(event: SessionEvent): void {
    if (storageError !== null) throw toStorageError(storageError);
    try {
      write(clean(event));
    } catch (error) {
      throw toStorageError(error);
    }
    // The message is journaled and accepted even if syncing fails.
    attempt('sync', journal.sync);
  }

  return {
    get lastSeq() {
      return journal.lastSeq;
    },
    get bytes() {
      return journal.bytes;
    },
    get storageError() {
      return textOf(storageError);
    },
    record: (events) => writeWithRetry(events.flatMap(clean)),
    note,
    finish: (last) => writeWithRetry([...sanitizer.flush(), ...clean(last)]),
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

function toStorageError(error: unknown): KeeperError {
  const failure = findStorageFailure(error);
  const { code, hint } = failure ? storageErrorInfo(failure) : { code: 'STORAGE_ERROR', hint: 'see the daemon log' };
  return new KeeperError(code, `the journal cannot be written: ${failure?.message ?? messageOf(error)}`, hint);
}

/** Chunks of about APPEND_CHARS characters, each with at least one event. */
function splitIntoChunks(cleaned: readonly Sanitized[]): (readonly Sanitized[])[] {
  const chunks: Sanitized[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const one of cleaned) {
    if (chars > APPEND_CHARS) {
      chunks.push([]);
      chars = 0;
    }
    chunks.at(-1)?.push(one);
    chars += estimateChars(one.fields);
  }
  return chunks;
}

/** A rough estimate: most events are a short text. */
function estimateChars(fields: object): number {
  const { delta } = isRecord(fields) ? fields : {};
  return 300 + (typeof delta === 'string' ? delta.length : JSON.stringify(fields).length);
}
