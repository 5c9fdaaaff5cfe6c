import { randomBytes } from 'node:crypto';
import { link, lstat, mkdir, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { ExtensionKind, ExtensionPlace, InstalledSkill } from '../contract/skills.ts';
import { ignoreAbsence } from '../files/regular-file.ts';
import { isRecord, messageOf } from '../values.ts';
import { type FrontMatter, readFrontMatter, writeName } from './front-matter.ts';
import { SKILL_FILE } from './places.ts';
import { copyFiles, listSourceFiles, readPlain, type SourceFile } from './source-files.ts';

/** What is to be placed, checked. */
export interface SkillSource extends FrontMatter {
  kind: ExtensionKind;
  /** Links resolved. */
  path: string;
  /** The file with the front matter is called SKILL.md. */
  files: readonly SourceFile[];
}

/** Everything in a folder that looks like one; what cannot be used says why. */
export async function readPlace(place: ExtensionPlace): Promise<InstalledSkill[]> {
  const names = await readdir(place.folder).catch(() => []);
  const found = await Promise.all(names.sort().map((name) => readOne(place, join(place.folder, name))));
  return found.flatMap((each) => each ?? []);
}

async function readOne({ agent, kind, scope }: ExtensionPlace, path: string): Promise<InstalledSkill | undefined> {
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

/** A folder with a SKILL.md, a Markdown file, or a link to one that has gone. */
export async function looksLike(kind: ExtensionKind, path: string): Promise<boolean> {
  if (kind === 'subagent' && extname(path).toLowerCase() !== '.md') return false;
  const file = await stat(kind === 'skill' ? join(path, SKILL_FILE) : path).catch(ignoreDeadEnd);
  if (file) return file.isFile();
  return (
    (await stat(path).catch(ignoreDeadEnd)) === undefined && (await lstat(path).catch(ignoreDeadEnd)) !== undefined
  );
}

/** Throws with what keeps the folder or file from being one. */
export async function readSource(written: string, kind: ExtensionKind): Promise<SkillSource> {
  const path = await realpath(written);
  const isFolder = (await stat(path)).isDirectory();
  if (isFolder && kind === 'subagent') throw new Error('it is a folder, and a sub-agent is a file');
  if (!isFolder && extname(path).toLowerCase() !== '.md') throw new Error('it is no Markdown file');
  const files = isFolder ? await listSourceFiles(path) : [{ path: SKILL_FILE, real: path, executable: false }];
  const main = files.find((file) => file.path === SKILL_FILE);
  if (!main) throw new Error(`it has no ${SKILL_FILE}`);
  return { ...(await readFrontMatter((await readPlain(main.real)).toString('utf8'))), kind, path, files };
}

/** Whole or not at all: it is made beside its place, then takes it in one step. */
export async function placeSkill(
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
    if (replace) await rename(path, old).catch(ignoreDeadEnd);
    try {
      // Neither overwrites what somebody else has put there meanwhile.
      if (source.kind === 'skill') await rename(fresh, path);
      else await link(join(fresh, SKILL_FILE), path);
    } catch (error) {
      if (replace) await rename(old, path).catch(ignoreDeadEnd);
      throw error;
    }
  } finally {
    await rm(fresh, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
  }
}

/** Of a link the link alone. */
export async function removePlaced(path: string): Promise<void> {
  const aside = join(dirname(path), `.amux-old-${randomBytes(6).toString('hex')}`);
  await rename(path, aside);
  await rm(aside, { recursive: true, force: true });
}

export async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(ignoreDeadEnd)) !== undefined;
}

export async function isSamePlace(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([realpath(a).catch(ignoreDeadEnd), realpath(b).catch(ignoreDeadEnd)]);
  return one !== undefined && one === other;
}

export function nameOf(path: string): string {
  return basename(path).replace(/\.md$/i, '');
}

export function describeProblem(error: unknown): string {
  if (isRecord(error) && error.code === 'ENOENT') return 'it does not exist';
  return messageOf(error).split('\n')[0] ?? '';
}

/** A circle of links leads nowhere too. */
function ignoreDeadEnd(error: unknown): undefined {
  return isRecord(error) && error.code === 'ELOOP' ? undefined : ignoreAbsence(error);
}
