import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The only folder that the demo agent writes to, below the run's own. */
const SCRATCH_FOLDER = 'agent-mux-demo';
const SHOWN_ENTRIES = 12;

export interface ScratchFile {
  /** As it is shown. */
  shown: string;
  path: string;
}

/** A name from a prompt can lead nowhere else: only its last part counts. */
export function scratchFile(cwd: string, name: string): ScratchFile {
  const plain = basename(name.replaceAll('\\', '/'));
  return { shown: `${SCRATCH_FOLDER}/${plain}`, path: join(cwd, SCRATCH_FOLDER, plain) };
}

export function listFolder(cwd: string): string[] {
  const names = readdirSync(cwd).sort();
  const more = names.length - SHOWN_ENTRIES;
  return more > 0 ? [...names.slice(0, SHOWN_ENTRIES), `and ${more} more`] : names;
}

export function readScratch(file: ScratchFile): string {
  return readFileSync(file.path, 'utf8');
}

/** `update` when it was there before. A link is not followed: it may point anywhere. */
export function writeScratch(cwd: string, file: ScratchFile, content: string): 'create' | 'update' {
  const folder = join(cwd, SCRATCH_FOLDER);
  mkdirSync(folder, { recursive: true });
  for (const path of [folder, file.path]) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error(`${path} is a link`);
  }
  const existed = lstatSync(file.path, { throwIfNoEntry: false }) !== undefined;
  writeFileSync(file.path, content);
  return existed ? 'update' : 'create';
}
