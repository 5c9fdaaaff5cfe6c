import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** A hand-written source file. */
export interface Source {
  /** From the root of the repository, with slashes. */
  path: string;
  text: string;
}

const ROOTS = ['packages', 'scripts', 'examples'];
/** Generated or recorded files. */
const SKIPPED = new Set(['node_modules', 'dist', 'recordings', 'generated']);

export function readSources(root: string): Source[] {
  return ROOTS.flatMap((folder) => listSources(join(root, folder))).map((path) => ({
    path: path.slice(root.length + 1).replaceAll(sep, '/'),
    text: readFileSync(path, 'utf8'),
  }));
}

function listSources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : listSources(path);
    return /\.(?:tsx?|mjs|js)$/.test(entry.name) && !entry.name.endsWith('.d.ts') ? [path] : [];
  });
}
