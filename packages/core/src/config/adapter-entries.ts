import { type ConfigDocument, type ConfigIssue, type ConfigPath, issueAt } from '../documents/document.ts';
import type { AdapterEntry } from '../registry/load-adapters.ts';
import { isRecord } from '../values.ts';

/** `adapters` of a file: `"acme"`, `"./folder"`, or `{ "from": ..., "options": {...} }`. */
export function readAdapterEntries(
  document: ConfigDocument,
  adapters: unknown,
  trusted: boolean,
): { entries: AdapterEntry[]; issues: ConfigIssue[] } {
  if (adapters === undefined) return { entries: [], issues: [] };
  if (!Array.isArray(adapters)) {
    return { entries: [], issues: [issueAt(document, ['adapters'], 'must be a list of adapters')] };
  }
  const entries: AdapterEntry[] = [];
  const issues: ConfigIssue[] = [];
  adapters.forEach((value: unknown, index) => {
    const path = ['adapters', index];
    const entry: unknown = typeof value === 'string' ? { from: value } : value;
    const problems = findEntryProblems(entry);
    if (problems.length > 0) {
      for (const [field, problem] of problems) issues.push(issueAt(document, [...path, ...field], problem));
    } else if (isRecord(entry) && typeof entry.from === 'string') {
      const { line } = issueAt(document, path, '');
      const options = isRecord(entry.options) ? { options: entry.options } : {};
      entries.push({ from: entry.from.trim(), ...options, file: document.file, line, trusted, document, path });
    }
  });
  return { entries, issues };
}

function findEntryProblems(entry: unknown): [ConfigPath, string][] {
  if (!isRecord(entry)) return [[[], 'must be a package name, a path, or { "from": ..., "options": {...} }']];
  const problems: [ConfigPath, string][] = [];
  for (const key of Object.keys(entry)) {
    if (key !== 'from' && key !== 'options') problems.push([[key], 'is not a known key; use from and options']);
  }
  if (typeof entry.from !== 'string' || entry.from.trim() === '') {
    problems.push([['from'], 'must be a package name or a path']);
  }
  if (entry.options !== undefined && !isRecord(entry.options)) problems.push([['options'], 'must be an object']);
  return problems;
}
