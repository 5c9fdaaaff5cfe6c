import { constants } from 'node:fs';
import { chmod, link, mkdir, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isRecord, readRegularFile } from '@agent-mux/core';
import { makeId, makeSecret } from './secrets.ts';

const TOKEN = /^[\w-]{40,100}$/;
const LIMIT = 1000;

/** The token that programs show: what the file holds, else a new one, which only its owner can read. */
export async function keepToken(path: string): Promise<string> {
  const kept = await readToken(path);
  if (kept !== null) return kept;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Written whole under another name first: whoever reads it finds all of it or nothing.
  const draft = `${path}.${makeId()}`;
  const file = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await file.writeFile(`${makeSecret()}\n`);
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
  const made = await readToken(path);
  if (made === null) throw new Error(`${path} holds no token; remove it`);
  return made;
}

/** Null: there is none, or what is there is none of ours. */
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
