import { constants } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { HostFiles } from '../contract/plugin-context.ts';
import { openRegularFile } from './regular-file.ts';

/** Maximum length of a first line. */
const FIRST_LINE_LIMIT = 1024 * 1024;
const CHUNK = 64 * 1024;

export const hostFiles: HostFiles = {
  list: (folder) => readdir(folder).catch(() => []),
  firstLine: readFirstLine,
  rename: (path, name) => rename(path, join(dirname(path), name)),
};

export async function readFirstLine(path: string): Promise<string> {
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
