import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readFirstLine } from '@agent-mux/core';
import { type Json, parseRecord, record, word } from '../../shared/json.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The thread of a file, by its name. */
export function rolloutId(path: string): string | undefined {
  return /-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(path)?.[1];
}

/** `session_meta`: the first record of a rollout. It holds the vendor prompt, some 20 KB. */
export async function rolloutMeta(path: string): Promise<Json> {
  const first = record(parseRecord(await readFirstLine(path)));
  return first.type === 'session_meta' ? record(first.payload) : {};
}

/**
 * The file of a thread. Its id starts with the creation time in milliseconds (UUID version 7), and its folder is named
 * after that day in the local time of that machine.
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
