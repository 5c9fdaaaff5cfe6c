import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FileNameSchema, type StoredFile } from '@agent-mux/api/schemas';
import { isRecord, openRegularFile, readRegularFile } from '@agent-mux/core';
import { z } from 'zod';
import { DaemonError } from '../../daemon-error.ts';
import { generateId } from '../access/secrets.ts';

const SCHEMA = 'agent-mux.file/1';
const FACTS_LIMIT = 16_384;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
const OLD_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/** Content of `<id>.json`, which describes the file `<id>`. */
const FactsSchema = z.object({
  schema: z.literal(SCHEMA),
  id: z.string(),
  name: FileNameSchema,
  mimeType: z.string(),
  bytes: z.int(),
  createdAt: z.number(),
});

/** Stores an upload as `folder/<id>`. Its name is metadata and never used as a path. */
export async function saveUpload(
  folder: string,
  content: AsyncIterable<Uint8Array>,
  about: { name: string; mimeType: string; now: number },
): Promise<StoredFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const id = generateId();
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

/** Metadata and path of an uploaded file. Throws NOT_FOUND. */
export async function findUpload(folder: string, id: string): Promise<StoredFile & { path: string }> {
  const path = join(folder, id);
  const text = await readRegularFile(`${path}.json`, { limit: FACTS_LIMIT, followLinks: false }).catch(() => null);
  const facts = FactsSchema.safeParse(parse(text)).data;
  if (!facts || facts.id !== id) throw notFound(id);
  const { name, mimeType, bytes } = facts;
  return { id, name, mimeType, bytes, path };
}

/** Throws NOT_FOUND if the file is missing or not a regular file. */
export async function openUpload(path: string, id: string): Promise<{ file: FileHandle; bytes: number }> {
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
  return new DaemonError('NOT_FOUND', `file "${id}" not found`);
}
