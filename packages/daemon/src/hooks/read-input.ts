import { closeSync, constants, fstatSync, openSync, read, readSync } from 'node:fs';
import { PAYLOAD_BYTES } from './spool.ts';

export interface Input {
  text: string;
  cut: boolean;
  /** A read is still pending, so the process cannot exit normally. */
  isStuck?: boolean;
}

/** Number of bytes read in addition to the stored ones: closing the pipe early may make the agent fail. */
const DRAINED_BYTES = 64 * 1024 * 1024;
/** Time to wait for the end of the payload; meanwhile the agent waits for the hook. */
const TIMEOUT_MS = 3000;
const CHUNK_BYTES = 64 * 1024;
const MAX_SLEEP_MS = 20;

/** Reads the payload from stdin. Never waits longer than the timeout and never throws. */
export async function readInput(timeoutMs = TIMEOUT_MS): Promise<Input> {
  try {
    const kind = fstatSync(0);
    // A terminal provides no payload.
    if (kind.isCharacterDevice()) return { text: '', cut: false };
    if (kind.isFile()) return readNow(0, 0);
    // Opens the same pipe again in non-blocking mode. This does not work for sockets.
    if (kind.isFIFO() && process.platform === 'linux') return readPipe(timeoutMs);
    return await readLater(timeoutMs);
  } catch {
    return { text: '', cut: false };
  }
}

function readPipe(timeoutMs: number): Input {
  const pipe = openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return readNow(pipe, timeoutMs);
  } finally {
    closeSync(pipe);
  }
}

function readNow(fd: number, timeoutMs: number): Input {
  const payload = new PayloadBuffer();
  const until = process.uptime() + timeoutMs / 1000;
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let sleepMs = 1; ; ) {
    try {
      const count = readSync(fd, chunk, 0, CHUNK_BYTES, null);
      if (count === 0) return payload.end(true);
      if (!payload.add(chunk.subarray(0, count))) return payload.end(false);
      sleepMs = 1;
    } catch (error) {
      if (!wouldBlock(error) || process.uptime() >= until) return payload.end(false);
      Atomics.wait(NEVER, 0, 0, sleepMs);
      sleepMs = Math.min(MAX_SLEEP_MS, sleepMs * 2);
    }
  }
}

const NEVER = new Int32Array(new SharedArrayBuffer(4));

function wouldBlock(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}

/** Uses the callbacks of `fs`: loading the stdin stream takes as long as the rest of a report. */
function readLater(timeoutMs: number): Promise<Input> {
  return new Promise((resolve) => {
    const payload = new PayloadBuffer();
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    // The pending read cannot be cancelled.
    const timer = setTimeout(() => resolve({ ...payload.end(false), isStuck: true }), timeoutMs);
    const stop = (isWhole: boolean) => {
      clearTimeout(timer);
      resolve(payload.end(isWhole));
    };
    const next = () =>
      read(0, chunk, 0, CHUNK_BYTES, null, (error, count) => {
        if (error || count === 0) stop(!error);
        else if (payload.add(chunk.subarray(0, count))) next();
        else stop(false);
      });
    next();
  });
}

/** The first bytes of the payload, and its total size. */
class PayloadBuffer {
  #parts: Buffer[] = [];
  #size = 0;

  /** Returns false when enough was read. */
  add(chunk: Buffer): boolean {
    const available = PAYLOAD_BYTES - this.#size;
    if (available > 0) this.#parts.push(Buffer.from(chunk.subarray(0, available)));
    this.#size += chunk.length;
    return this.#size < DRAINED_BYTES;
  }

  end(isWhole: boolean): Input {
    return { text: Buffer.concat(this.#parts).toString('utf8'), cut: !isWhole || this.#size > PAYLOAD_BYTES };
  }
}
