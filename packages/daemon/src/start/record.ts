import { readFile } from 'node:fs/promises';
import { AgentMuxError, isRecord, readRegularFileSync, stillAlive } from '@agent-mux/core/light';
import type { DaemonPaths } from '../paths.ts';

/** `daemon.json`, by which a running daemon is found. */
export interface DaemonRecord {
  schema: 'agent-mux.daemon/1';
  pid: number;
  /** Opaque; together with the pid it identifies the process uniquely. Empty if the platform does not report it. */
  startTime: string;
  url: string;
  version: string;
  startedAt: number;
}

const RECORD_LIMIT = 64 * 1024;

/** Null if missing or invalid. Read synchronously, since asynchronous file access takes longer to load. */
export async function readRecord({ record }: DaemonPaths): Promise<DaemonRecord | null> {
  try {
    const value: unknown = JSON.parse(readRegularFileSync(record, { limit: RECORD_LIMIT }).toString('utf8'));
    if (!isRecord(value) || value.schema !== 'agent-mux.daemon/1') return null;
    const { schema, pid, startTime, url, version, startedAt } = value;
    const isWhole = typeof pid === 'number' && typeof startTime === 'string' && typeof url === 'string';
    if (!isWhole || !isLoopback(url)) return null;
    const details = { version: String(version ?? ''), startedAt: typeof startedAt === 'number' ? startedAt : 0 };
    return { schema, pid, startTime, url, ...details };
  } catch {
    return null;
  }
}

/** Whether the process that wrote the record is alive. Detects reused pids. */
export function isAlive({ pid, startTime }: DaemonRecord): boolean {
  if (startTime !== '') return stillAlive([{ pid, startTime }]).length > 0;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isRecord(error) && error.code === 'EPERM';
  }
}

/** The token is sent to the URL of the record, which must be on this machine. */
function isLoopback(url: string): boolean {
  const hostname = URL.parse(url)?.hostname;
  return hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost';
}

const TAIL_BYTES = 64 * 1024;
const TAIL_LINES = 20;

/** The last lines of the log after an offset. */
export async function readLogTail({ log }: DaemonPaths, from = 0): Promise<string> {
  const written = await readFile(log).catch(() => Buffer.alloc(0));
  const start = Math.max(from <= written.length ? from : 0, written.length - TAIL_BYTES);
  return written.subarray(start).toString('utf8').trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
}

export function daemonError(message: string, paths: DaemonPaths, tail = '', cause?: unknown): AgentMuxError {
  const text = tail === '' ? message : `${message}; its log ends with:\n${tail}`;
  return new AgentMuxError('NETWORK_ERROR', text, { hint: `see ${paths.log}`, cause });
}
