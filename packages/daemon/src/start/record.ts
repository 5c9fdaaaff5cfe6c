import { readFile } from 'node:fs/promises';
import { AgentMuxError, isRecord, readRegularFileSync, stillAlive } from '@agent-mux/core/light';
import type { Places } from '../places.ts';

/** `daemon.json`: how a running daemon is found. */
export interface DaemonRecord {
  schema: 'agent-mux.daemon/1';
  pid: number;
  /** Opaque; with the pid it names one process for ever. Empty where the platform does not tell. */
  startTime: string;
  url: string;
  version: string;
  startedAt: number;
}

const RECORD_LIMIT = 64 * 1024;

/** Null: there is none, or none that can be read as one. Read at once: what reads files in the background takes longer to load. */
export async function readRecord({ record }: Places): Promise<DaemonRecord | null> {
  try {
    const value: unknown = JSON.parse(readRegularFileSync(record, { limit: RECORD_LIMIT }).toString('utf8'));
    if (!isRecord(value) || value.schema !== 'agent-mux.daemon/1') return null;
    const { schema, pid, startTime, url, version, startedAt } = value;
    const isWhole = typeof pid === 'number' && typeof startTime === 'string' && typeof url === 'string';
    if (!isWhole || !isLoopback(url)) return null;
    const told = { version: String(version ?? ''), startedAt: typeof startedAt === 'number' ? startedAt : 0 };
    return { schema, pid, startTime, url, ...told };
  } catch {
    return null;
  }
}

/** Whether the process that wrote it lives: another one may have its pid by now. */
export function isAlive({ pid, startTime }: DaemonRecord): boolean {
  if (startTime !== '') return stillAlive([{ pid, startTime }]).length > 0;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isRecord(error) && error.code === 'EPERM';
  }
}

/** The token goes where the record says: never off this machine. */
function isLoopback(url: string): boolean {
  const hostname = URL.parse(url)?.hostname;
  return hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost';
}

const TAIL_BYTES = 64 * 1024;
const TAIL_LINES = 20;

/** The last lines that were written to the log from there on. */
export async function readLogTail({ log }: Places, from = 0): Promise<string> {
  const written = await readFile(log).catch(() => Buffer.alloc(0));
  const start = Math.max(from <= written.length ? from : 0, written.length - TAIL_BYTES);
  return written.subarray(start).toString('utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}

export function daemonError(message: string, places: Places, tail = '', cause?: unknown): AgentMuxError {
  const told = tail === '' ? message : `${message}; it said:\n${tail}`;
  return new AgentMuxError('NETWORK_ERROR', told, { hint: `${places.log} has more`, cause });
}
