import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { AgentMuxError, isRecord } from '@agent-mux/core/light';
import { resolveDaemonPaths } from '@agent-mux/daemon/start';
import { onBrokenPipe } from '../broken-pipe.ts';
import { EXIT } from '../exit-codes.ts';
import { print, printJsonLine } from '../output.ts';

/** Polling interval of --follow. */
const LOOK_MS = 200;
const CHUNK = 64 * 1024;

interface Showing {
  lines: number;
  follow: boolean;
  json: boolean;
}

export async function showLogs({ lines, follow, json }: Showing): Promise<number> {
  const file = resolveDaemonPaths().log;
  const { tail, end } = lastLines(file, lines);
  const show = (line: string) => (json ? printJsonLine<'logs'>({ type: 'log', line }) : void print(line));
  tail.forEach(show);
  if (!follow) return EXIT.ok;
  const over = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => over.abort());
  onBrokenPipe(() => over.abort());
  await followFile(file, end, over.signal, show);
  return EXIT.ok;
}

function lastLines(file: string, count: number): { tail: string[]; end: number } {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (error) {
    const isAbsent = isRecord(error) && error.code === 'ENOENT';
    if (!isAbsent) throw error;
    throw new AgentMuxError('CONFIG_ERROR', `no daemon log yet: ${file}`, {
      hint: 'run "amux up" to start the daemon',
    });
  }
  try {
    const { size } = fstatSync(fd);
    let from = size;
    let text = Buffer.alloc(0);
    const lineCount = () => text.reduce((sum, byte) => sum + (byte === 10 ? 1 : 0), 0);
    while (from > 0 && lineCount() <= count) {
      const length = Math.min(CHUNK, from);
      from -= length;
      const piece = Buffer.alloc(length);
      readSync(fd, piece, 0, length, from);
      text = Buffer.concat([piece, text]);
    }
    // An incomplete last line is left to --follow.
    const whole = text.subarray(0, text.lastIndexOf(10) + 1);
    const all = whole.toString('utf8').split('\n').slice(0, -1);
    return {
      tail: count === Number.POSITIVE_INFINITY ? all : all.slice(Math.max(0, all.length - count)),
      end: size - (text.length - whole.length),
    };
  } finally {
    closeSync(fd);
  }
}

/** A log that was truncated is read from its start. */
async function followFile(
  file: string,
  from: number,
  signal: AbortSignal,
  show: (line: string) => void,
): Promise<void> {
  let at = from;
  let decoder = new StringDecoder('utf8');
  let rest = '';
  while (!signal.aborted) {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size < at) {
      at = 0;
      rest = '';
      decoder = new StringDecoder('utf8');
    }
    if (size > at) {
      const fd = openSync(file, 'r');
      const piece = Buffer.alloc(Math.min(CHUNK, size - at));
      const read = readSync(fd, piece, 0, piece.length, at);
      closeSync(fd);
      at += read;
      const lines = (rest + decoder.write(piece.subarray(0, read))).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(show);
      if (at < size) continue;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, LOOK_MS);
      signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true });
    });
  }
}
