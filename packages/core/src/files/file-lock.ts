import { createHash, randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { link, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentMuxError } from '../contract/errors.ts';
import { identityOf, type ProcessIdentity, stillAlive } from '../process/process-table.ts';
import { isRecord } from '../values.ts';
import { OWN_FILE_LIMIT, readRegularFile } from './regular-file.ts';
import { stateFolder } from './state-folder.ts';

/** A change takes milliseconds; after this time the error names the lock holder. */
export const LOCK_TIMEOUT_MS = 10_000;
/** Maximum age of a lock whose owner cannot be checked (another machine with the same home). */
export const FOREIGN_LOCK_MS = 60_000;
const POLL_MS = 15;

interface Owner extends ProcessIdentity {
  /** The machine and its process table, since a pid is meaningless on another one. */
  host: string;
  token: string;
}

/** Serializes changes among all agent-mux processes of this user. The key is the real path of a file. */
export async function withFileLock<Result>(
  realPath: string,
  env: NodeJS.ProcessEnv,
  work: () => Promise<Result>,
): Promise<Result> {
  const key = createHash('sha256').update(realPath).digest('hex').slice(0, 32);
  const lock = join(stateFolder(env), 'locks', `${key}.lock`);
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
  const token = await acquire(lock, realPath, Date.now() + LOCK_TIMEOUT_MS);
  try {
    return await work();
  } finally {
    if ((await ownerOf(lock))?.token === token) await rm(lock, { force: true });
  }
}

async function acquire(lock: string, realPath: string, deadline: number): Promise<string> {
  const owner: Owner = { ...ownIdentity(), host: thisHost(), token: randomUUID() };
  const written = `${lock}.${owner.token}`;
  try {
    // Inside the try block: a full disk leaves an empty file.
    await writeFile(written, JSON.stringify(owner), { mode: 0o600, flag: 'wx' });
    for (;;) {
      // A link appears with its content, so no process can read a partial owner.
      if (await tryLink(written, lock)) return owner.token;
      if (await isAbandoned(lock)) await removeAbandoned(lock, realPath, deadline);
      else if (Date.now() > deadline) throw await describeHolder(lock, realPath);
      else await sleep(POLL_MS * (0.5 + Math.random()));
    }
  } finally {
    await rm(written, { force: true });
  }
}

/**
 * Uses a separate lock and checks again: otherwise, of two processes that found the same abandoned lock, the second
 * could remove the lock the first just created.
 */
async function removeAbandoned(lock: string, realPath: string, deadline: number): Promise<void> {
  const removal = `${lock}.removal`;
  const token = await acquire(removal, realPath, deadline);
  try {
    if (await isAbandoned(lock)) await rm(lock, { force: true });
  } finally {
    if ((await ownerOf(removal))?.token === token) await rm(removal, { force: true });
  }
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (isRecord(error) && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function isAbandoned(lock: string): Promise<boolean> {
  const owner = await ownerOf(lock);
  if (owner?.host === thisHost()) return !isAlive(owner);
  const found = await stat(lock).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > FOREIGN_LOCK_MS;
}

function isAlive(owner: Owner): boolean {
  if (owner.startTime !== '') return stillAlive([owner]).length > 0;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return isRecord(error) && error.code === 'EPERM';
  }
}

async function ownerOf(lock: string): Promise<Owner | undefined> {
  try {
    const owner: unknown = JSON.parse((await readRegularFile(lock, { limit: OWN_FILE_LIMIT })).toString('utf8'));
    if (!isRecord(owner)) return undefined;
    const { pid, startTime, host, token } = owner;
    if (typeof pid !== 'number' || typeof startTime !== 'string') return undefined;
    return typeof host === 'string' && typeof token === 'string' ? { pid, startTime, host, token } : undefined;
  } catch {
    return undefined;
  }
}

async function describeHolder(lock: string, realPath: string): Promise<AgentMuxError> {
  const owner = await ownerOf(lock);
  return new AgentMuxError('CONFIG_ERROR', `${realPath} is locked by process ${owner?.pid ?? '?'}`, {
    hint: `retry; if no agent-mux is running, remove ${lock}`,
    retryable: true,
  });
}

let own: ProcessIdentity | undefined;

function ownIdentity(): ProcessIdentity {
  own ??= identityOf(process.pid) ?? { pid: process.pid, startTime: '' };
  return own;
}

let host: string | undefined;

function thisHost(): string {
  if (host === undefined) {
    host = hostname();
    try {
      host += `:${readlinkSync('/proc/self/ns/pid')}`;
    } catch {
      // Only Linux has several process tables.
    }
  }
  return host;
}
