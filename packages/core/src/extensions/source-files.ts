import { chmod, mkdir, opendir, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { readRegularFile } from '../files/regular-file.ts';
import { isWithin } from '../files/within.ts';
import { messageOf } from '../values.ts';

/** A skill is text and a few scripts. Whoever has more has chosen the wrong folder. */
export const SOURCE_LIMITS = { files: 2000, bytes: 50 * 1024 * 1024, depth: 16 } as const;

/** Of no use to an agent, and large. */
const LEFT_OUT = new Set(['.git', 'node_modules', '.DS_Store']);

export interface SourceFile {
  /** From the root of the source. */
  path: string;
  /** The file itself, links resolved. */
  real: string;
  executable: boolean;
}

/**
 * The files of a folder. Throws on a link that leads out of it, on what is no file (a socket, a pipe) and on more than
 * the limits: what is copied is exactly what lies there.
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

/** Into a folder that is new. `change` may give the text of a file anew. */
export async function copyFiles(
  files: readonly SourceFile[],
  to: string,
  change: (file: SourceFile, content: Buffer) => Promise<Buffer | string>,
): Promise<void> {
  let bytes = 0;
  for (const file of files) {
    const content = await readPlain(file.real);
    // It may have grown since it was looked at.
    bytes += content.length;
    if (bytes > SOURCE_LIMITS.bytes) throw new Error(`it has more than ${SOURCE_LIMITS.bytes} bytes`);
    const target = join(to, file.path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, await change(file, content), { flag: 'wx' });
    if (file.executable) await chmod(target, 0o755);
  }
}

/** A file that is no link, at the moment at which it is read. */
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
  throw new Error(`the link ${relative(root, path)} leads ${target === undefined ? 'nowhere' : 'out of the folder'}`);
}

async function lookAt(path: string): Promise<{ size: number; mode: number; isFile: boolean }> {
  const stats = await stat(path);
  return { size: stats.size, mode: stats.mode, isFile: stats.isFile() };
}
