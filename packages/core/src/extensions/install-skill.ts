import { randomBytes } from 'node:crypto';
import { link, lstat, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { ExtensionKind, ExtensionLocation, InstalledSkill } from '../contract/skills.ts';
import { ignoreMissing } from '../files/regular-file.ts';
import { isRecord, messageOf } from '../values.ts';
import { type FrontMatter, readFrontMatter, writeName } from './front-matter.ts';
import { SKILL_FILE } from './locations.ts';
import { copyFiles, listSourceFiles, readPlain, type SourceFile } from './source-files.ts';

/** A validated source to install. */
export interface SkillSource extends FrontMatter {
  kind: ExtensionKind;
  /** Path with links resolved. */
  path: string;
  /** The file with the front matter is named SKILL.md. */
  files: readonly SourceFile[];
}

/** Lists all skills or subagents in a folder, with the problem of any that cannot be used. */
export async function readLocation(location: ExtensionLocation): Promise<InstalledSkill[]> {
  const names = await readdir(location.folder).catch(() => []);
  const found = await Promise.all(names.sort().map((name) => readOne(location, join(location.folder, name))));
  return found.flatMap((each) => each ?? []);
}

async function readOne({ agent, kind, scope }: ExtensionLocation, path: string): Promise<InstalledSkill | undefined> {
  if (basename(path).startsWith('.') || !(await looksLike(kind, path))) return undefined;
  const known = { agent, kind, scope, path };
  try {
    // Agents follow links when they read.
    const file = await realpath(kind === 'skill' ? join(path, SKILL_FILE) : path);
    return { ...known, ...(await readFrontMatter((await readPlain(file)).toString('utf8'))), problem: null };
  } catch (error) {
    return { ...known, name: nameOf(path), description: null, problem: describeProblem(error) };
  }
}

/** Whether it is a folder with a SKILL.md, a Markdown file, or a dangling link to one. */
export async function looksLike(kind: ExtensionKind, path: string): Promise<boolean> {
  if (kind === 'subagent' && extname(path).toLowerCase() !== '.md') return false;
  const file = await stat(kind === 'skill' ? join(path, SKILL_FILE) : path).catch(ignoreDangling);
  if (file) return file.isFile();
  return (
    (await stat(path).catch(ignoreDangling)) === undefined && (await lstat(path).catch(ignoreDangling)) !== undefined
  );
}

/** Throws if the folder or file is not a valid source. */
export async function readSource(written: string, kind: ExtensionKind): Promise<SkillSource> {
  const path = await realpath(written);
  const isFolder = (await stat(path)).isDirectory();
  if (isFolder && kind === 'subagent') throw new Error('it is a folder, but a subagent must be a file');
  if (!isFolder && extname(path).toLowerCase() !== '.md') throw new Error('it is not a Markdown file');
  const files = isFolder ? await listSourceFiles(path) : [{ path: SKILL_FILE, real: path, executable: false }];
  const main = files.find((file) => file.path === SKILL_FILE);
  if (!main) throw new Error(`it has no ${SKILL_FILE}`);
  return { ...(await readFrontMatter((await readPlain(main.real)).toString('utf8'))), kind, path, files };
}

/** Atomic: creates it next to its location, then renames it. */
export async function installSkill(
  source: SkillSource,
  { name, path, replace }: { name: string; path: string; replace: boolean },
): Promise<void> {
  const folder = dirname(path);
  const mark = randomBytes(6).toString('hex');
  const fresh = join(folder, `.amux-new-${mark}`);
  const old = join(folder, `.amux-old-${mark}`);
  await mkdir(folder, { recursive: true });
  await mkdir(fresh);
  try {
    await copyFiles(source.files, fresh, async (file, content) =>
      file.path === SKILL_FILE && name !== source.name ? writeName(content.toString('utf8'), name) : content,
    );
    if (replace) await rename(path, old).catch(ignoreDangling);
    try {
      // Neither call overwrites what another process created in the meantime.
      if (source.kind === 'skill') await rename(fresh, path);
      else await link(join(fresh, SKILL_FILE), path);
    } catch (error) {
      if (replace) await rename(old, path).catch(ignoreDangling);
      throw error;
    }
  } finally {
    await rm(fresh, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
  }
}

/** For a link, removes only the link. */
export async function removeInstalled(path: string): Promise<void> {
  const aside = join(dirname(path), `.amux-old-${randomBytes(6).toString('hex')}`);
  await rename(path, aside);
  await rm(aside, { recursive: true, force: true });
}

export async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(ignoreDangling)) !== undefined;
}

export async function isSameLocation(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([realpath(a).catch(ignoreDangling), realpath(b).catch(ignoreDangling)]);
  return one !== undefined && one === other;
}

export function nameOf(path: string): string {
  return basename(path).replace(/\.md$/i, '');
}

export function describeProblem(error: unknown): string {
  if (isRecord(error) && error.code === 'ENOENT') return 'it does not exist';
  return messageOf(error).split('\n')[0] ?? '';
}

/** A cycle of links counts as dangling. */
function ignoreDangling(error: unknown): undefined {
  return isRecord(error) && error.code === 'ELOOP' ? undefined : ignoreMissing(error);
}
