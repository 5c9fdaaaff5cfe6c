import type { FileDiff } from '@agent-mux/api/schemas';

const STATUS: Readonly<Record<string, FileDiff['status']>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'added',
  T: 'type-changed',
};

/** What `git diff --raw --numstat -z` lists: first what happened to each file, then how many lines. Without patches. */
export function parseSummary(out: string): FileDiff[] {
  const files = new Map<string, FileDiff>();
  const fields = out.split('\0').values();
  const next = () => fields.next().value ?? '';
  for (const field of fields) {
    if (field.startsWith(':')) addFile(files, field.split(' ')[4]?.charAt(0) ?? '', next);
    else addCounts(files, field, next);
  }
  return [...files.values()];
}

function addFile(files: Map<string, FileDiff>, letter: string, next: () => string): void {
  const oldPath = letter === 'R' || letter === 'C' ? next() : null;
  const path = next();
  const status = STATUS[letter] ?? 'modified';
  files.set(path, { path, oldPath: letter === 'R' ? oldPath : null, status, added: null, removed: null, patch: null });
}

/** Of what was moved the names follow, the old one first. */
function addCounts(files: Map<string, FileDiff>, field: string, next: () => string): void {
  const [, added = '', removed = '', name] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field) ?? [];
  if (name === undefined) return;
  if (name === '') next();
  const file = files.get(name === '' ? next() : name);
  if (!file) return;
  file.added = countOf(added);
  file.removed = countOf(removed);
}

/** Not text: `-`. */
function countOf(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null;
}

/** The paths of `git ls-files --unmerged -z`, where each stands once for every side. */
export function parseUnmerged(out: string): Set<string> {
  return new Set(out.split('\0').flatMap((line) => /^[^\t]+\t(.+)$/s.exec(line)?.[1] ?? []));
}

/** The parts of `git diff --patch`, in the order of its files. No line of a file's content begins as a head does. */
export function splitPatch(out: string): string[] {
  const starts = [...out.matchAll(/^diff --git /gm)].map(({ index }) => index);
  return starts.map((start, at) => out.slice(start, starts[at + 1] ?? out.length));
}

/** A part that says only that two files differ. */
export function isBinaryPatch(patch: string): boolean {
  return /^Binary files .* differ$/m.test(patch) && !/^@@ /m.test(patch);
}
