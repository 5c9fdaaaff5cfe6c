import { createDaemonClient, createHttp } from '@agent-mux/api';
import { type DaemonPaths, resolveDaemonPaths } from '../paths.ts';
import { type DaemonRecord, isAlive, readRecord } from './record.ts';
import { readToken } from './token.ts';

/** A daemon that responds. */
export interface FoundDaemon {
  pid: number;
  url: string;
  version: string;
  startedAt: number;
  token: string;
}

const HEALTH_TIMEOUT_MS = 3000;

/** `absent`: no daemon. `silent`: it runs but does not answer (yet). `there`: it answers. */
export type DaemonState =
  | { is: 'absent' /** Its record is still there. */; hasCrashed: boolean }
  | { is: 'silent'; record: DaemonRecord; why: string }
  | { is: 'there'; daemon: FoundDaemon };

export async function probeDaemon(paths: DaemonPaths): Promise<DaemonState> {
  const record = await readRecord(paths);
  if (!record || !isAlive(record)) return { is: 'absent', hasCrashed: record !== null };
  const token = await readToken(paths);
  if (token === null) return { is: 'silent', record, why: `${paths.token} does not exist` };
  const { pid, url, version, startedAt } = record;
  try {
    await checkHealth(url, token);
    return { is: 'there', daemon: { pid, url, version, startedAt, token } };
  } catch (error) {
    return { is: 'silent', record, why: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Returns a daemon whose process runs and has reported ready, without a health check: the caller's next request shows
 * whether it answers. Null: use `probeDaemon`.
 */
export async function peekDaemon(paths: DaemonPaths): Promise<FoundDaemon | null> {
  const record = await readRecord(paths);
  if (!record || !isAlive(record)) return null;
  const token = await readToken(paths);
  if (token === null) return null;
  const { pid, url, version, startedAt } = record;
  return { pid, url, version, startedAt, token };
}

/** The running daemon of this user, or null if none answers. */
export async function findDaemon(env: NodeJS.ProcessEnv = process.env): Promise<FoundDaemon | null> {
  const state = await probeDaemon(resolveDaemonPaths(env));
  return state.is === 'there' ? state.daemon : null;
}

async function checkHealth(url: string, token: string): Promise<void> {
  const http = createHttp(async () => ({ url, token }));
  try {
    await http.json({ path: '/health', timeoutMs: HEALTH_TIMEOUT_MS });
  } finally {
    http.close();
  }
}

export function clientOf({ url, token }: FoundDaemon) {
  const http = createHttp(async () => ({ url, token }));
  return { client: createDaemonClient(http), close: () => http.close() };
}
