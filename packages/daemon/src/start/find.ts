import { createDaemonClient, createHttp } from '@agent-mux/api';
import { findPlaces, type Places } from '../places.ts';
import { type DaemonRecord, isAlive, readRecord } from './record.ts';
import { readToken } from './token.ts';

/** A daemon that answers. */
export interface FoundDaemon {
  pid: number;
  url: string;
  version: string;
  startedAt: number;
  token: string;
}

const HEALTH_TIMEOUT_MS = 3000;

/** What is known of it: none, one that lives and does not answer (yet), or one that does. */
export type DaemonState =
  | { is: 'absent' /** It ended without a word: its record is still there. */; hasCrashed: boolean }
  | { is: 'silent'; record: DaemonRecord; why: string }
  | { is: 'there'; daemon: FoundDaemon };

export async function lookForDaemon(places: Places): Promise<DaemonState> {
  const record = await readRecord(places);
  if (!record || !isAlive(record)) return { is: 'absent', hasCrashed: record !== null };
  const token = await readToken(places);
  if (token === null) return { is: 'silent', record, why: `${places.token} is not there` };
  const { pid, url, version, startedAt } = record;
  try {
    await askHealth(url, token);
    return { is: 'there', daemon: { pid, url, version, startedAt, token } };
  } catch (error) {
    return { is: 'silent', record, why: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * One whose process lives and has said that it is ready, without asking it: whoever asks something right away hears by that
 * whether it answers. Null: look closer.
 */
export async function glanceAtDaemon(places: Places): Promise<FoundDaemon | null> {
  const record = await readRecord(places);
  if (!record || !isAlive(record)) return null;
  const token = await readToken(places);
  if (token === null) return null;
  const { pid, url, version, startedAt } = record;
  return { pid, url, version, startedAt, token };
}

/** The running daemon of this user; null: there is none that answers. */
export async function findDaemon(env: NodeJS.ProcessEnv = process.env): Promise<FoundDaemon | null> {
  const state = await lookForDaemon(findPlaces(env));
  return state.is === 'there' ? state.daemon : null;
}

async function askHealth(url: string, token: string): Promise<void> {
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
