import { chmod, mkdir, opendir, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { readRegularFile } from '../files/regular-file.ts';
import { isWithin } from '../files/within.ts';
import { messageOf } from '../values.ts';

/** Limits of a source. A skill is text and a few scripts; a larger folder is probably the wrong one. */
export const SOURCE_LIMITS = { files: 2000, bytes: 50 * 1024 * 1024, depth: 16 } as const;

/** Large and useless to an agent. */
const LEFT_OUT = new Set(['.git', 'node_modules', '.DS_Store']);

export interface SourceFile {
  /** Relative to the root of the source. */
  path: string;
  /** Path of the file with links resolved. */
  real: string;
  executable: boolean;
}

/**
 * Lists the files of a folder. Throws for a link that leads out of it, for anything that is not a file (a socket, a
 * pipe) and above the limits, so that the copy is exact.
 */
export async function listSourceFiles(folder: string): Promise<SourceFile[]> {
  const root = await realpath(folder);
  const found: SourceFile[] = [];
  let bytes = 0;
  const walk = async (at: string, depth: number): Promise<void> => {
    if (depth > SOURCE_LIMITS.depth) throw new Error(`${at} is more than ${SOURCE_LIMITS.depth} folders deep`);
    for await (const entry of await opendir(at)) {
      if (LEFT_OUT.has(entry.name)) continue;
      const path = join(at, entry.name);
      if (entry.isDirectory()) {
        await walk(path, depth + 1);
        continue;
      }
      const real = entry.isSymbolicLink() ? await resolveWithin(root, path) : path;
      const { size, mode, isFile } = await lookAt(real);
      if (!isFile) throw new Error(`${relative(root, path)} is neither a file nor a folder`);
      bytes += size;
      found.push({ path: relative(root, path), real, executable: (mode & 0o111) !== 0 });
      if (found.length > SOURCE_LIMITS.files) throw new Error(`it has more than ${SOURCE_LIMITS.files} files`);
      if (bytes > SOURCE_LIMITS.bytes) throw new Error(`it has more than ${SOURCE_LIMITS.bytes} bytes`);
    }
  };
  await walk(root, 1);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Copies into a new folder. `change` may replace the text of a file. */
export async function copyFiles(
  files: readonly SourceFile[],
  to: string,
  change: (file: SourceFile, content: Buffer) => Promise<Buffer | string>,
): Promise<void> {
  let bytes = 0;
  for (const file of files) {
    const content = await readPlain(file.real);
    // The file may have grown since it was listed.
    bytes += content.length;
    if (bytes > SOURCE_LIMITS.bytes) throw new Error(`it has more than ${SOURCE_LIMITS.bytes} bytes`);
    const target = join(to, file.path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, await change(file, content), { flag: 'wx' });
    if (file.executable) await chmod(target, 0o755);
  }
}

/** Reads a file without following links. */
export async function readPlain(path: string): Promise<Buffer> {
  try {
    return await readRegularFile(path, { limit: SOURCE_LIMITS.bytes, followLinks: false });
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`${path} cannot be read: ${reason}`, { cause: error });
  }
}

async function resolveWithin(root: string, path: string): Promise<string> {
  const target = await realpath(path).catch(() => undefined);
  if (target !== undefined && isWithin(root, target)) return target;
  throw new Error(
    `the link ${relative(root, path)} ${target === undefined ? 'is dangling' : 'leads out of the folder'}`,
  );
}

async function lookAt(path: string): Promise<{ size: number; mode: number; isFile: boolean }> {
  const stats = await stat(path);
  return { size: stats.size, mode: stats.mode, isFile: stats.isFile() };
}
