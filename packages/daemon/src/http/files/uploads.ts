import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FileNameSchema, type StoredFile } from '@agent-mux/api/schemas';
import { isRecord, openRegularFile, readRegularFile } from '@agent-mux/core';
import { z } from 'zod';
import { DaemonError } from '../../daemon-error.ts';
import { makeId } from '../access/secrets.ts';

const SCHEMA = 'agent-mux.file/1';
const FACTS_LIMIT = 16_384;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
const OLD_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/** What `<id>.json` says of the file `<id>` beside it. */
const FactsSchema = z.object({
  schema: z.literal(SCHEMA),
  id: z.string(),
  name: FileNameSchema,
  mimeType: z.string(),
  bytes: z.int(),
  createdAt: z.number(),
});

/** Keeps what is handed in as `folder/<id>`. Its name is a fact about it, and never a path. */
export async function keepUpload(
  folder: string,
  content: AsyncIterable<Uint8Array>,
  about: { name: string; mimeType: string; now: number },
): Promise<StoredFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const id = makeId();
  const path = join(folder, id);
  const draft = `${path}.part`;
  try {
    const bytes = await writeAll(draft, content);
    const { name, mimeType, now } = about;
    const facts = { schema: SCHEMA, id, name, mimeType, bytes, createdAt: now };
    await writeAll(`${path}.json`, [Buffer.from(JSON.stringify(facts))]);
    await rename(draft, path);
    return { id, name, mimeType, bytes };
  } catch (error) {
    await Promise.all([rm(draft, { force: true }), rm(`${path}.json`, { force: true })]);
    throw error;
  }
}

/** What is known of a file that was handed in, and where it lies. Throws NOT_FOUND. */
export async function findUpload(folder: string, id: string): Promise<StoredFile & { path: string }> {
  const path = join(folder, id);
  const text = await readRegularFile(`${path}.json`, { limit: FACTS_LIMIT, followLinks: false }).catch(() => null);
  const facts = FactsSchema.safeParse(parse(text)).data;
  if (!facts || facts.id !== id) throw notFound(id);
  const { name, mimeType, bytes } = facts;
  return { id, name, mimeType, bytes, path };
}

/** Throws NOT_FOUND where there is no such file, or something else is in its place. */
export async function openKept(path: string, id: string): Promise<{ file: FileHandle; bytes: number }> {
  const file = await openRegularFile(path, OLD_FILE).catch((error: unknown) => {
    if (isRecord(error) && (error.code === 'EMFILE' || error.code === 'ENFILE')) throw error;
    throw notFound(id);
  });
  return { file, bytes: (await file.stat()).size };
}

async function writeAll(path: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<number> {
  const file = await open(path, NEW_FILE, 0o600);
  let bytes = 0;
  try {
    for await (const part of content) {
      await file.writeFile(part);
      bytes += part.byteLength;
    }
    await file.sync();
    return bytes;
  } finally {
    await file.close();
  }
}

function parse(text: Buffer | null): unknown {
  try {
    return text === null ? null : JSON.parse(text.toString('utf8'));
  } catch {
    return null;
  }
}

function notFound(id: string): DaemonError {
  return new DaemonError('NOT_FOUND', `there is no file "${id}"`);
}
