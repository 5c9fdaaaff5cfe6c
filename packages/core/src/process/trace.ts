import { isUtf8 } from 'node:buffer';
import { close, openSync, writev } from 'node:fs';
import { ValidationError } from '../contract/errors.ts';
import { REDACTED } from '../redact/redact.ts';
import { isRecord, messageOf } from '../values.ts';

export const TRACE_SCHEMA = 'agent-mux.trace/1';
/** Bytes waiting for the disk above which `write` returns false: the producer should wait for `drained`. */
export const TRACE_HIGH_WATER_BYTES = 4 * 1024 * 1024;
/** Bytes waiting for the disk above which chunks are dropped; a record says how many bytes. */
export const TRACE_LIMIT_BYTES = 64 * 1024 * 1024;

export type TraceDirection = 'in' | 'stdout' | 'stderr';

export interface TraceOptions {
  runId: string;
  agent: string;
  now?: () => number;
  /** Values that are redacted from the file. */
  secrets?: readonly string[];
  /** Overrides `TRACE_LIMIT_BYTES`. */
  limitBytes?: number;
  /** Called once when the file cannot be written any more. The run continues. */
  onError?: (error: Error) => void;
}

/**
 * Writes every raw byte of a run as JSON lines: `{ t, dir, data }`, or `{ t, dir, base64 }` if a chunk is not valid
 * UTF-8. Secrets passed to the run are redacted. The agent's other keys may appear, so only the user can read the file.
 */
export class TraceWriter {
  readonly #fd: number;
  readonly #now: () => number;
  readonly #limitBytes: number;
  readonly #onError: (error: Error) => void;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #omittedBytes = 0;
  #writing = false;
  #failed = false;
  #closed = false;
  readonly #secrets: readonly string[];
  /** The end of a direction that may be the start of a secret. */
  readonly #held: Partial<Record<TraceDirection, string>> = {};
  #idle: (() => void)[] = [];

  /** Throws ValidationError if the file cannot be opened; the folder must exist. */
  constructor(path: string, options: TraceOptions) {
    try {
      this.#fd = openSync(path, 'a', 0o600);
    } catch (cause) {
      const missing = isRecord(cause) && cause.code === 'ENOENT';
      const problem = missing ? `the folder of ${path} does not exist` : `cannot write ${path}: ${messageOf(cause)}`;
      throw new ValidationError('run options', [{ field: 'tracePath', problem }], { agent: options.agent, cause });
    }
    this.#now = options.now ?? Date.now;
    this.#limitBytes = options.limitBytes ?? TRACE_LIMIT_BYTES;
    this.#onError = options.onError ?? (() => {});
    this.#secrets = (options.secrets ?? []).map(bytesOf).sort((a, b) => b.length - a.length);
    this.#enqueue({ schema: TRACE_SCHEMA, runId: options.runId, agent: options.agent, t: this.#now() });
  }

  /** Returns false if the producer should wait for `drained`. Never throws. */
  write(dir: TraceDirection, chunk: string | Uint8Array): boolean {
    if (this.#closed || this.#failed) return true;
    const bytes = chunk.length;
    if (this.#waitingBytes + bytes > this.#limitBytes) {
      this.#omittedBytes += bytes;
      return false;
    }
    if (this.#omittedBytes > 0) this.#enqueue({ t: this.#now(), omittedBytes: this.#omittedBytes });
    this.#omittedBytes = 0;
    this.#enqueueChunk(dir, chunk);
    return this.#waitingBytes < TRACE_HIGH_WATER_BYTES;
  }

  /** Resolves when everything written has been passed to the disk. */
  waitForDrain(): Promise<void> {
    if (!this.#writing) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return this.waitForDrain();
    if (this.#omittedBytes > 0) this.#enqueue({ t: this.#now(), omittedBytes: this.#omittedBytes });
    for (const dir of ['in', 'stdout', 'stderr'] as const) {
      const held = this.#held[dir];
      if (held) this.#enqueue({ t: this.#now(), dir, ...payloadOf(Buffer.from(held, 'latin1')) });
    }
    this.#closed = true;
    await this.waitForDrain();
    await new Promise<void>((resolve) => close(this.#fd, () => resolve()));
  }

  #enqueueChunk(dir: TraceDirection, chunk: string | Uint8Array): void {
    if (this.#secrets.length === 0) {
      this.#enqueue({ t: this.#now(), dir, ...payloadOf(chunk) });
      return;
    }
    let bytes =
      (this.#held[dir] ?? '') + (typeof chunk === 'string' ? bytesOf(chunk) : Buffer.from(chunk).toString('latin1'));
    for (const secret of this.#secrets) bytes = bytes.replaceAll(secret, REDACTED);
    const held = Math.max(...this.#secrets.map((secret) => countPrefixAtEnd(bytes, secret)));
    this.#held[dir] = bytes.slice(bytes.length - held);
    const rest = bytes.slice(0, bytes.length - held);
    if (rest !== '') this.#enqueue({ t: this.#now(), dir, ...payloadOf(Buffer.from(rest, 'latin1')) });
  }

  #enqueue(record: Record<string, unknown>): void {
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (!this.#writing) this.#flush(this.#nextBatch());
  }

  #nextBatch(): Buffer[] {
    const batch = this.#waiting;
    this.#waiting = [];
    return batch;
  }

  #flush(batch: Buffer[]): void {
    this.#writing = true;
    writev(this.#fd, batch, (error, written) => {
      this.#waitingBytes -= error ? 0 : written;
      const rest = error ? [] : dropWritten(batch, written);
      if (error) this.#fail(error);
      if (rest.length > 0) this.#flush(rest);
      else if (this.#waiting.length > 0) this.#flush(this.#nextBatch());
      else this.#settle();
    });
  }

  #fail(error: Error): void {
    this.#failed = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#onError(error);
  }

  #settle(): void {
    this.#writing = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

/** One character per byte: a chunk may end within a UTF-8 sequence. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** How many characters at the end of the text are a proper prefix of the secret. */
function countPrefixAtEnd(text: string, secret: string): number {
  let length = Math.min(text.length, secret.length - 1);
  while (length > 0 && !text.endsWith(secret.slice(0, length))) length -= 1;
  return length;
}

function payloadOf(chunk: string | Uint8Array): { data: string } | { base64: string } {
  if (typeof chunk === 'string') return { data: chunk };
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return isUtf8(bytes) ? { data: bytes.toString('utf8') } : { base64: bytes.toString('base64') };
}

/** The rest of a batch of which the system wrote only a part. */
function dropWritten(batch: readonly Buffer[], written: number): Buffer[] {
  let skipped = written;
  const rest: Buffer[] = [];
  for (const line of batch) {
    if (skipped >= line.length) skipped -= line.length;
    else {
      rest.push(skipped > 0 ? line.subarray(skipped) : line);
      skipped = 0;
    }
  }
  return rest;
}
