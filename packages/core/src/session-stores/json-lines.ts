import { constants } from 'node:fs';
import { openRegularFile } from '../files/regular-file.ts';
import { isRecord } from '../values.ts';

/** A line above this size is left out, and told: in memory it is there several times while it is read. */
export const SESSION_LINE_LIMIT = 32 * 1024 * 1024;
/** Of a session that is read only for the index, so many characters of long texts are kept, and of each further one the beginning. */
export const BRIEF_CHARACTERS = 10_000_000;
/** A text above this length is a long one. Names, paths and ids are shorter. */
const LONG_TEXT = 300;
const KEPT_BEGINNING = 40;
const CHUNK = 1024 * 1024;
const LINE_END = 0x0a;

export interface JsonLines {
  records: Record<string, unknown>[];
  faults: string[];
}

/** The objects of a file of JSON lines. A last line without its end is still being written: no fault. */
export function readJsonLines(text: string | JsonLines): JsonLines {
  if (typeof text !== 'string') return text;
  const collected = new LineCollector();
  let at = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
    collected.add(text.slice(at, end), true);
    at = end + 1;
  }
  collected.add(text.slice(at), false);
  return collected.lines;
}

/** The same from a file, piece by piece: its whole text is never in memory. */
export async function readJsonLinesOf(
  path: string,
  { limit, brief = false }: { limit: number; brief?: boolean },
): Promise<JsonLines> {
  await using file = await openRegularFile(path, constants.O_RDONLY);
  const collected = new LineCollector(brief ? BRIEF_CHARACTERS : undefined);
  let begun: Buffer[] = [];
  let size = 0;
  for (let total = 0; ; ) {
    // A new one each time: so much memory outside of its heap lets V8 collect in time what was parsed and is not kept.
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, null);
    if (bytesRead === 0) break;
    total += bytesRead;
    if (total > limit) throw new Error(`it has more than ${limit} bytes, which are the limit`);
    const piece = buffer.subarray(0, bytesRead);
    let at = 0;
    for (let end = piece.indexOf(LINE_END); end !== -1; end = piece.indexOf(LINE_END, at)) {
      if (size + end - at > SESSION_LINE_LIMIT) collected.leaveOut();
      else collected.add(textOf(begun, piece.subarray(at, end)), true);
      begun = [];
      size = 0;
      at = end + 1;
    }
    size += bytesRead - at;
    // What is too long is not kept at all.
    if (size > SESSION_LINE_LIMIT) begun = [];
    else if (at < bytesRead) begun.push(piece.subarray(at));
  }
  if (size > SESSION_LINE_LIMIT) collected.leaveOut();
  else collected.add(textOf(begun, Buffer.alloc(0)), false);
  return collected.lines;
}

function textOf(begun: readonly Buffer[], end: Buffer): string {
  return begun.length === 0 ? end.toString('utf8') : Buffer.concat([...begun, end]).toString('utf8');
}

class LineCollector {
  readonly lines: JsonLines = { records: [], faults: [] };
  #number = 0;
  #left: number | undefined;
  readonly #last = new Map<string, string>();

  /** `left`: the characters of long texts that are kept; all without it. */
  constructor(left?: number) {
    this.#left = left;
  }

  add(line: string, isEnded: boolean): void {
    this.#number += 1;
    if (line.trim() === '') return;
    try {
      const value: unknown = JSON.parse(line);
      if (!isRecord(value)) this.lines.faults.push(`line ${this.#number} is no object`);
      else {
        if (this.#left !== undefined) this.#shorten(value);
        this.lines.records.push(value);
      }
    } catch {
      if (isEnded) this.lines.faults.push(`line ${this.#number} is not JSON`);
    }
  }

  leaveOut(): void {
    this.#number += 1;
    this.lines.faults.push(`line ${this.#number} has more than ${SESSION_LINE_LIMIT} bytes and was left out`);
  }

  #shorten(value: object): void {
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'object' && inner !== null) this.#shorten(inner);
      else if (typeof inner === 'string' && inner.length > LONG_TEXT) {
        this.#left = (this.#left ?? 0) - inner.length;
        if (this.#left < 0) Reflect.set(value, key, beginningOf(inner));
      } else if (typeof inner === 'string') {
        // Folder, version and session are the same in every line, and need not be in memory for each of them.
        const last = this.#last.get(key);
        if (inner === last) Reflect.set(value, key, last);
        else this.#last.set(key, inner);
      }
    }
  }
}

/** Copied: a mere slice would keep the whole text in memory. */
function beginningOf(text: string): string {
  return Buffer.from(text.slice(0, KEPT_BEGINNING), 'utf8').toString('utf8');
}
