import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { isRecord, messageOf } from '@agent-mux/core';

/** Maximum backlog while the disk cannot be written. Later lines are dropped and counted. */
const MAX_WAITING_BYTES = 256 * 1024;
const RETRY_MS = 1000;
const APPENDING = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
const STDERR = 2;

export interface DaemonLog {
  /** Never throws. Lines that cannot be written yet are buffered and retried. */
  write(line: string): void;
  close(): void;
}

/**
 * The daemon's log, always in the same file. A daemon in a terminal or under a service manager also prints each line to
 * stderr. A background daemon has this file as its stderr and writes each line once.
 */
export function openDaemonLog(path: string): DaemonLog {
  let file: number | undefined;
  let waiting = Buffer.alloc(0);
  let dropped = 0;
  let problem: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const ignore = () => {};
  // Without a listener, a write error on stderr (closed terminal, full disk) would end the process.
  process.stderr.on('error', ignore);

  function flush(): void {
    try {
      file ??= openSync(path, APPENDING, 0o600);
      while (waiting.length > 0) waiting = waiting.subarray(writeSync(file, waiting));
      if (problem === null) return;
      const lost = dropped === 0 ? '' : `, and ${dropped} lines were dropped`;
      waiting = Buffer.from(lineOf(`the log could not be written for a while: ${problem}${lost}`));
      dropped = 0;
      problem = null;
      flush();
    } catch (error) {
      problem ??= messageOf(error);
      if (!isClosed) timer ??= setTimeout(retry, RETRY_MS).unref();
    }
  }

  function retry(): void {
    timer = undefined;
    flush();
  }

  flush();
  return {
    write(line) {
      const text = lineOf(line);
      if (waiting.length < MAX_WAITING_BYTES) waiting = Buffer.concat([waiting, Buffer.from(text)]);
      else dropped += 1;
      flush();
      if (!isSameFile(file, STDERR)) print(text);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
      if (waiting.length > 0) flush();
      if (file !== undefined) closeSync(file);
      file = undefined;
      process.stderr.off('error', ignore);
    },
  };
}

function lineOf(line: string): string {
  return `${new Date().toISOString()} ${line}\n`;
}

function print(text: string): void {
  try {
    process.stderr.write(text);
  } catch {
    // The line is in the log file.
  }
}

function isSameFile(one: number | undefined, other: number): boolean {
  try {
    if (one === undefined) return false;
    const [a, b] = [fstatSync(one), fstatSync(other)];
    return a.dev === b.dev && a.ino === b.ino;
  } catch (error) {
    // The process has no stderr.
    return isRecord(error) && error.code === 'EBADF';
  }
}
