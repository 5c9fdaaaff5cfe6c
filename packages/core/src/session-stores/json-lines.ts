import { constants } from 'node:fs';
import { openRegularFile } from '../files/regular-file.ts';
import { isRecord } from '../values.ts';

/** A longer line is skipped and reported: parsing needs several times its size in memory. */
export const SESSION_LINE_LIMIT = 32 * 1024 * 1024;
/** For the index only: how many characters of long texts are stored in total; of further ones only the start. */
export const PREVIEW_CHARS = 10_000_000;
/** A text above this length is a long one. Names, paths and ids are shorter. */
const LONG_TEXT = 300;
const PREFIX_CHARS = 40;
const CHUNK = 1024 * 1024;
const LINE_END = 0x0a;

export interface JsonLines {
  records: Record<string, unknown>[];
  warnings: string[];
}

/** The objects of a JSON lines file. An unterminated last line is still being written and is not an issue. */
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

/** Reads a file in chunks: its whole text is never in memory. */
export async function readJsonLinesOf(
  path: string,
  { limit, brief = false }: { limit: number; brief?: boolean },
): Promise<JsonLines> {
  await using file = await openRegularFile(path, constants.O_RDONLY);
  const collected = new LineCollector(brief ? PREVIEW_CHARS : undefined);
  let partial: Buffer[] = [];
  let size = 0;
  for (let total = 0; ; ) {
    // Allocated each time: external memory makes V8 collect parsed garbage in time.
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, null);
    if (bytesRead === 0) break;
    total += bytesRead;
    if (total > limit) throw new Error(`it has more than ${limit} bytes, which is the limit`);
    const piece = buffer.subarray(0, bytesRead);
    let at = 0;
    for (let end = piece.indexOf(LINE_END); end !== -1; end = piece.indexOf(LINE_END, at)) {
      if (size + end - at > SESSION_LINE_LIMIT) collected.leaveOut();
      else collected.add(textOf(partial, piece.subarray(at, end)), true);
      partial = [];
      size = 0;
      at = end + 1;
    }
    size += bytesRead - at;
    // A line that is too long is not stored at all.
    if (size > SESSION_LINE_LIMIT) partial = [];
    else if (at < bytesRead) partial.push(piece.subarray(at));
  }
  if (size > SESSION_LINE_LIMIT) collected.leaveOut();
  else collected.add(textOf(partial, Buffer.alloc(0)), false);
  return collected.lines;
}

function textOf(partial: readonly Buffer[], end: Buffer): string {
  return partial.length === 0 ? end.toString('utf8') : Buffer.concat([...partial, end]).toString('utf8');
}

class LineCollector {
  readonly lines: JsonLines = { records: [], warnings: [] };
  #number = 0;
  #left: number | undefined;
  readonly #last = new Map<string, string>();

  /** `left`: characters of long texts to store; all if undefined. */
  constructor(left?: number) {
    this.#left = left;
  }

  add(line: string, isEnded: boolean): void {
    this.#number += 1;
    if (line.trim() === '') return;
    try {
      const value: unknown = JSON.parse(line);
      if (!isRecord(value)) this.lines.warnings.push(`line ${this.#number} is not an object`);
      else {
        if (this.#left !== undefined) this.#shorten(value);
        this.lines.records.push(value);
      }
    } catch {
      if (isEnded) this.lines.warnings.push(`line ${this.#number} is not JSON`);
    }
  }

  leaveOut(): void {
    this.#number += 1;
    this.lines.warnings.push(`line ${this.#number} has more than ${SESSION_LINE_LIMIT} bytes and was skipped`);
  }

  #shorten(value: object): void {
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'object' && inner !== null) this.#shorten(inner);
      else if (typeof inner === 'string' && inner.length > LONG_TEXT) {
        this.#left = (this.#left ?? 0) - inner.length;
        if (this.#left < 0) Reflect.set(value, key, prefixOf(inner));
      } else if (typeof inner === 'string') {
        // Folder, version and session are the same in every line, and need to be in memory only once.
        const last = this.#last.get(key);
        if (inner === last) Reflect.set(value, key, last);
        else this.#last.set(key, inner);
      }
    }
  }
}

/** Copied: a mere slice would keep the whole text in memory. */
function prefixOf(text: string): string {
  return Buffer.from(text.slice(0, PREFIX_CHARS), 'utf8').toString('utf8');
}
