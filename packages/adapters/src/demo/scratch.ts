import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The only folder that the demo agent writes to, below the run's own. */
const SCRATCH_FOLDER = 'agent-mux-demo';
const SHOWN_ENTRIES = 12;
const CONTEXT_LINES = 3;

export interface ScratchFile {
  /** As it is shown. */
  shown: string;
  path: string;
}

/** A name from a prompt cannot escape the folder: only its last part counts. */
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

/** Undefined if there is nothing to read: no file, or a link, which is not followed. */
export function existingText(file: ScratchFile): string | undefined {
  return lstatSync(file.path, { throwIfNoEntry: false })?.isFile() ? readScratch(file) : undefined;
}

/** One hunk, from the first line that differs to the last. */
export function diffTexts(before: string, after: string): string {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(old.length, fresh.length) - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const from = Math.max(0, head - CONTEXT_LINES);
  const behind = Math.min(tail, CONTEXT_LINES);
  const same = (lines: readonly string[]) => lines.map((line) => ` ${line}`);
  const lines = [
    ...same(old.slice(from, head)),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...fresh.slice(head, fresh.length - tail).map((line) => `+${line}`),
    ...same(old.slice(old.length - tail, old.length - tail + behind)),
  ];
  const range = (count: number) => `${count === 0 ? 0 : from + 1},${count}`;
  const shown = (all: readonly string[]) => all.length - tail + behind - from;
  return [`@@ -${range(shown(old))} +${range(shown(fresh))} @@`, ...lines, ''].join('\n');
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

/** `update` if the file existed. A link is not followed: it may point anywhere. */
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
