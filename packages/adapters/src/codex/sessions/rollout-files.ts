import { constants } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openRegularFile } from '@agent-mux/core';
import { type Json, parseRecord, record, word } from '../../shared/json.ts';

/** The first line of a rollout holds the prompt of the vendor, some 20 KB; a longer one is not read to its end. */
const FIRST_LINE_LIMIT = 1024 * 1024;
const CHUNK = 64 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The thread that a file is of, by its name. */
export function rolloutId(path: string): string | undefined {
  return /-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(path)?.[1];
}

/** `session_meta`: what a rollout begins with. */
export async function rolloutMeta(path: string): Promise<Json> {
  const first = record(parseRecord(await firstLine(path)));
  return first.type === 'session_meta' ? record(first.payload) : {};
}

/**
 * The file of a thread. Its id begins with the milliseconds of its birth (UUID version 7), and its folder is named after
 * that day, by the clock of wherever that was.
 */
export async function findRollout(root: string, threadId: string): Promise<string | undefined> {
  const born = Number.parseInt(threadId.replaceAll('-', '').slice(0, 12), 16);
  const days = [0, -DAY_MS, DAY_MS].map((apart) => new Date(born + apart).toISOString().slice(0, 10).split('-'));
  const folders = [...days.map((day) => join(root, ...day)), join(root, '..', 'archived_sessions')];
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => []);
    const name = names.find((one) => rolloutId(one) === threadId);
    if (name) return join(folder, name);
  }
  return undefined;
}

/** The first of these files whose thread was forked from another. */
export async function findFork(paths: readonly string[], threadId: string): Promise<string | undefined> {
  for (const path of paths) {
    const meta = await rolloutMeta(path).catch((): Json => ({}));
    if (word(meta.forked_from_id) === threadId) return path;
  }
  return undefined;
}

async function firstLine(path: string): Promise<string> {
  await using file = await openRegularFile(path, constants.O_RDONLY);
  const chunks: Buffer[] = [];
  for (let size = 0; size < FIRST_LINE_LIMIT; size += CHUNK) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK), 0, CHUNK, size);
    const end = buffer.subarray(0, bytesRead).indexOf('\n');
    chunks.push(buffer.subarray(0, end === -1 ? bytesRead : end));
    if (end !== -1 || bytesRead === 0) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
