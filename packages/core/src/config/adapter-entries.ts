import { type ConfigDocument, type ConfigFault, type ConfigPath, faultAt } from '../documents/document.ts';
import type { AdapterEntry } from '../registry/load-adapters.ts';
import { isRecord } from '../values.ts';

/** `adapters` of a file: `"acme"`, `"./folder"`, or `{ "from": ..., "options": {...} }`. */
export function readAdapterEntries(
  document: ConfigDocument,
  adapters: unknown,
  trusted: boolean,
): { entries: AdapterEntry[]; faults: ConfigFault[] } {
  if (adapters === undefined) return { entries: [], faults: [] };
  if (!Array.isArray(adapters)) {
    return { entries: [], faults: [faultAt(document, ['adapters'], 'must be a list of adapters')] };
  }
  const entries: AdapterEntry[] = [];
  const faults: ConfigFault[] = [];
  adapters.forEach((value: unknown, index) => {
    const path = ['adapters', index];
    const given: unknown = typeof value === 'string' ? { from: value } : value;
    const problems = findEntryProblems(given);
    if (problems.length > 0) {
      for (const [field, problem] of problems) faults.push(faultAt(document, [...path, ...field], problem));
    } else if (isRecord(given) && typeof given.from === 'string') {
      const { line } = faultAt(document, path, '');
      const options = isRecord(given.options) ? { options: given.options } : {};
      entries.push({ from: given.from.trim(), ...options, file: document.file, line, trusted, document, path });
    }
  });
  return { entries, faults };
}

function findEntryProblems(entry: unknown): [ConfigPath, string][] {
  if (!isRecord(entry)) return [[[], 'must be the name of a package, a path, or { "from": ..., "options": {...} }']];
  const problems: [ConfigPath, string][] = [];
  for (const key of Object.keys(entry)) {
    if (key !== 'from' && key !== 'options') problems.push([[key], 'is not known here; there are from and options']);
  }
  if (typeof entry.from !== 'string' || entry.from.trim() === '') {
    problems.push([['from'], 'must be the name of a package, or a path']);
  }
  if (entry.options !== undefined && !isRecord(entry.options)) problems.push([['options'], 'must be an object']);
  return problems;
}
