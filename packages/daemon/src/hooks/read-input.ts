import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { PAYLOAD_BYTES } from './spool.ts';

export interface Input {
  text: string;
  cut: boolean;
}

/** Beyond what is kept, so much is read for the writer's sake: a pipe that is closed early may fail the agent. */
const DRAINED_BYTES = 64 * 1024 * 1024;
/** Whoever does not end its payload in this time is not waited for: the agent waits for the hook. */
const PATIENCE_MS = 3000;
const CHUNK_BYTES = 64 * 1024;
const LONGEST_NAP_MS = 20;

/** Never waits longer than its patience, and never throws. */
export async function readInput(patienceMs = PATIENCE_MS): Promise<Input> {
  try {
    const kind = fstatSync(0);
    // A terminal: nobody has handed anything in.
    if (kind.isCharacterDevice()) return { text: '', cut: false };
    if (kind.isFile()) return readNow(0, 0);
    // The same pipe by another door, so that it can be looked at without waiting. A socket has none.
    if (kind.isFIFO() && process.platform === 'linux') return readPipe(patienceMs);
    return await readStream(patienceMs);
  } catch {
    return { text: '', cut: false };
  }
}

function readPipe(patienceMs: number): Input {
  const door = openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return readNow(door, patienceMs);
  } finally {
    closeSync(door);
  }
}

function readNow(fd: number, patienceMs: number): Input {
  const kept = new Kept();
  const until = process.uptime() + patienceMs / 1000;
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let nap = 1; ; ) {
    try {
      const count = readSync(fd, chunk, 0, CHUNK_BYTES, null);
      if (count === 0) return kept.end(true);
      if (!kept.add(chunk.subarray(0, count))) return kept.end(false);
      nap = 1;
    } catch (error) {
      if (!isNothingThere(error) || process.uptime() >= until) return kept.end(false);
      Atomics.wait(NEVER, 0, 0, nap);
      nap = Math.min(LONGEST_NAP_MS, nap * 2);
    }
  }
}

const NEVER = new Int32Array(new SharedArrayBuffer(4));

function isNothingThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}

function readStream(patienceMs: number): Promise<Input> {
  return new Promise((resolve) => {
    const kept = new Kept();
    const stop = (isWhole: boolean) => {
      clearTimeout(timer);
      resolve(kept.end(isWhole));
    };
    const timer = setTimeout(() => stop(false), patienceMs);
    process.stdin.on('error', () => stop(false));
    process.stdin.on('end', () => stop(true));
    process.stdin.on('data', (chunk: Buffer) => {
      if (!kept.add(chunk)) stop(false);
    });
  });
}

/** The beginning of what was read, and how much that was. */
class Kept {
  #parts: Buffer[] = [];
  #size = 0;

  /** False: enough was read. */
  add(chunk: Buffer): boolean {
    const room = PAYLOAD_BYTES - this.#size;
    if (room > 0) this.#parts.push(Buffer.from(chunk.subarray(0, room)));
    this.#size += chunk.length;
    return this.#size < DRAINED_BYTES;
  }

  end(isWhole: boolean): Input {
    return { text: Buffer.concat(this.#parts).toString('utf8'), cut: !isWhole || this.#size > PAYLOAD_BYTES };
  }
}
