import type { FileDiff } from '@agent-mux/api/schemas';

const STATUS: Readonly<Record<string, FileDiff['status']>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'added',
  T: 'type-changed',
};

/** Parses `git diff --raw --numstat -z`: first the status of each file, then line counts. Without patches. */
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

/** For renamed files, the old and the new name follow. */
function addCounts(files: Map<string, FileDiff>, field: string, next: () => string): void {
  const [, added = '', removed = '', name] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(field) ?? [];
  if (name === undefined) return;
  if (name === '') next();
  const file = files.get(name === '' ? next() : name);
  if (!file) return;
  file.added = countOf(added);
  file.removed = countOf(removed);
}

/** Null for binary files, shown as `-`. */
function countOf(text: string): number | null {
  return /^\d+$/.test(text) ? Number(text) : null;
}

/** The paths of `git ls-files --unmerged -z`, which lists each path once per side. */
export function parseUnmerged(out: string): Set<string> {
  return new Set(out.split('\0').flatMap((line) => /^[^\t]+\t(.+)$/s.exec(line)?.[1] ?? []));
}

/** Splits `git diff --patch` by file, in order. Content lines never start like a header. */
export function splitPatch(out: string): string[] {
  const starts = [...out.matchAll(/^diff --git /gm)].map(({ index }) => index);
  return starts.map((start, at) => out.slice(start, starts[at + 1] ?? out.length));
}

/** A patch that only says that two files differ. */
export function isBinaryPatch(patch: string): boolean {
  return /^Binary files .* differ$/m.test(patch) && !/^@@ /m.test(patch);
}
