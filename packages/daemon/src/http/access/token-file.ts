import { constants } from 'node:fs';
import { chmod, link, mkdir, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isRecord, readRegularFile } from '@agent-mux/core';
import { generateId, generateSecret } from './secrets.ts';

const TOKEN = /^[\w-]{40,100}$/;
const LIMIT = 1000;

/** Returns the token of the file, creating one that only its owner can read if there is none. */
export async function ensureToken(path: string): Promise<string> {
  const existing = await readToken(path);
  if (existing !== null) return existing;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Written under a temporary name first, so that readers see a complete file or none.
  const draft = `${path}.${generateId()}`;
  const file = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await file.writeFile(`${generateSecret()}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
  } catch (error) {
    if (!isRecord(error) || error.code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  const created = await readToken(path);
  if (created === null) throw new Error(`${path} does not contain a token; remove it`);
  return created;
}

/** Null if the file is missing or not a token. */
export async function readToken(path: string): Promise<string | null> {
  try {
    const text = (await readRegularFile(path, { limit: LIMIT, followLinks: false })).toString('utf8').trim();
    if (!TOKEN.test(text)) return null;
    await chmod(path, 0o600);
    return text;
  } catch (error) {
    if (isRecord(error) && error.code === 'ENOENT') return null;
    throw error;
  }
}
