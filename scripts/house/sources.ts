import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** A file that people write. */
export interface Source {
  /** From the root of the repository, with slashes. */
  path: string;
  text: string;
}

const PLACES = ['packages', 'scripts', 'examples'];
/** What is made by programs, or recorded. */
const NOT_OURS = new Set(['node_modules', 'dist', 'recordings', 'generated']);

export function readSources(root: string): Source[] {
  return PLACES.flatMap((place) => listSources(join(root, place))).map((path) => ({
    path: path.slice(root.length + 1).replaceAll(sep, '/'),
    text: readFileSync(path, 'utf8'),
  }));
}

function listSources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : listSources(path);
    return /\.(?:tsx?|mjs|js)$/.test(entry.name) && !entry.name.endsWith('.d.ts') ? [path] : [];
  });
}
