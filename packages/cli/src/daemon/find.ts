import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Address } from '@agent-mux/api';
import { AgentMuxError, isRecord, stateFolder } from '@agent-mux/core';

export interface Found extends Address {
  pid: number;
  version: string;
  startedAt: number;
}

export function daemonFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(stateFolder(env), 'daemon');
}

/** The daemon that runs; undefined: none does. */
export async function findDaemon(env: NodeJS.ProcessEnv = process.env): Promise<Found | undefined> {
  const folder = daemonFolder(env);
  try {
    const record: unknown = JSON.parse(readFileSync(join(folder, 'daemon.json'), 'utf8'));
    if (!isRecord(record)) return undefined;
    const { pid, url, version, startedAt } = record;
    if (typeof pid !== 'number' || typeof url !== 'string' || !isAlive(pid)) return undefined;
    const token = readFileSync(join(folder, 'token'), 'utf8').trim();
    return { pid, url, token, version: String(version), startedAt: Number(startedAt) };
  } catch {
    return undefined;
  }
}

export function logFile(): string {
  return join(daemonFolder(), 'daemon.log');
}

export async function startDaemon(_given: { port?: number } = {}): Promise<Found> {
  throw new AgentMuxError('SPAWN_ERROR', 'the daemon does not run', { hint: 'amux up --foreground starts it' });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
