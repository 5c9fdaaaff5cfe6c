import { isUtf8 } from 'node:buffer';
import { close, openSync, writev } from 'node:fs';
import { ValidationError } from '../contract/errors.ts';
import { REDACTED } from '../redact/redact.ts';
import { isRecord, messageOf } from '../values.ts';

export const TRACE_SCHEMA = 'agent-mux.trace/1';
/** Bytes waiting for the disk above which `write` answers false: the producer should wait for `drained`. */
export const TRACE_HIGH_WATER_BYTES = 4 * 1024 * 1024;
/** Bytes waiting for the disk above which chunks are left out; a record says how many bytes that were. */
export const TRACE_LIMIT_BYTES = 64 * 1024 * 1024;

export type TraceDirection = 'in' | 'stdout' | 'stderr';

export interface TraceOptions {
  runId: string;
  agent: string;
  now?: () => number;
  /** Values that are not to be in the file. */
  secrets?: readonly string[];
  /** Instead of `TRACE_LIMIT_BYTES`. */
  limitBytes?: number;
  /** Told once, when the file cannot be written any more. The run goes on. */
  onFault?: (error: Error) => void;
}

/**
 * Every raw byte of a run, as JSON lines: `{ t, dir, data }`, or `{ t, dir, base64 }` where a chunk is not UTF-8 by itself.
 * The bytes are as they came, without the secrets that the run was given. Keys that the agent has from elsewhere may be in it,
 * so only the user can read the file.
 */
export class TraceWriter {
  readonly #fd: number;
  readonly #now: () => number;
  readonly #limitBytes: number;
  readonly #onFault: (error: Error) => void;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #omittedBytes = 0;
  #writing = false;
  #failed = false;
  #closed = false;
  readonly #secrets: readonly string[];
  /** The end of a direction that may be the beginning of a secret. */
  readonly #held: Partial<Record<TraceDirection, string>> = {};
  #idle: (() => void)[] = [];

  /** Throws ValidationError when the file cannot be opened; the folder must exist. */
  constructor(path: string, options: TraceOptions) {
    try {
      this.#fd = openSync(path, 'a', 0o600);
    } catch (cause) {
      const missing = isRecord(cause) && cause.code === 'ENOENT';
      const problem = missing
        ? `the folder of ${path} does not exist`
        : `${path} cannot be written: ${messageOf(cause)}`;
      throw new ValidationError('run options', [{ field: 'tracePath', problem }], { agent: options.agent, cause });
    }
    this.#now = options.now ?? Date.now;
    this.#limitBytes = options.limitBytes ?? TRACE_LIMIT_BYTES;
    this.#onFault = options.onFault ?? (() => {});
    this.#secrets = (options.secrets ?? []).map(bytesOf).sort((a, b) => b.length - a.length);
    this.#enqueue({ schema: TRACE_SCHEMA, runId: options.runId, agent: options.agent, t: this.#now() });
  }

  /** False: wait for `drained` before producing more. Never throws. */
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

  /** Resolves when all that was written is on its way to the disk. */
  waitForDrain(): Promise<void> {
    if (!this.#writing) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Twice: nothing more. */
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
    const held = Math.max(...this.#secrets.map((secret) => countBeginningAtEnd(bytes, secret)));
    this.#held[dir] = bytes.slice(bytes.length - held);
    const rest = bytes.slice(0, bytes.length - held);
    if (rest !== '') this.#enqueue({ t: this.#now(), dir, ...payloadOf(Buffer.from(rest, 'latin1')) });
  }

  #enqueue(record: Record<string, unknown>): void {
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (!this.#writing) this.#flush(this.#take());
  }

  #take(): Buffer[] {
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
      else if (this.#waiting.length > 0) this.#flush(this.#take());
      else this.#settle();
    });
  }

  #fail(error: Error): void {
    this.#failed = true;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#onFault(error);
  }

  #settle(): void {
    this.#writing = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

/** A character for each byte: a chunk may end within one of UTF-8. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** How many characters at the end of the text are the beginning of the secret, and not all of it. */
function countBeginningAtEnd(text: string, secret: string): number {
  let length = Math.min(text.length, secret.length - 1);
  while (length > 0 && !text.endsWith(secret.slice(0, length))) length -= 1;
  return length;
}

function payloadOf(chunk: string | Uint8Array): { data: string } | { base64: string } {
  if (typeof chunk === 'string') return { data: chunk };
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return isUtf8(bytes) ? { data: bytes.toString('utf8') } : { base64: bytes.toString('base64') };
}

/** What is left of a batch of which the system took only a part. */
function dropWritten(batch: readonly Buffer[], written: number): Buffer[] {
  let taken = written;
  const rest: Buffer[] = [];
  for (const line of batch) {
    if (taken >= line.length) taken -= line.length;
    else {
      rest.push(taken > 0 ? line.subarray(taken) : line);
      taken = 0;
    }
  }
  return rest;
}
