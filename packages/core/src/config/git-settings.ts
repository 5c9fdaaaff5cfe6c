import { type ConfigDocument, type ConfigIssue, issueAt } from '../documents/document.ts';
import { isRecord } from '../values.ts';

/** `git` of the user's configuration file. */
export interface GitSettings {
  /** Filters (clean, smudge) that git may run, by their names in the user's git settings: `lfs`. */
  allowFilters: readonly string[];
}

const FILTER_NAME = /^[A-Za-z0-9_-]{1,60}$/;

/** A project could allow its own program to run, so its file must not have this key. */
export function readGitSettings(
  document: ConfigDocument,
  value: unknown,
  trusted: boolean,
): { settings?: GitSettings; issues: ConfigIssue[] } {
  const refuse = (path: readonly (string | number)[], problem: string) => ({
    issues: [issueAt(document, ['git', ...path], problem)],
  });
  if (!trusted) return refuse([], "is allowed in the user's own file only");
  if (!isRecord(value)) return refuse([], 'must be an object');
  const unknown = Object.keys(value).find((key) => key !== 'allowFilters');
  if (unknown !== undefined) return refuse([unknown], 'is unknown; the only key is allowFilters');
  const { allowFilters = [] } = value;
  const isNames = (list: unknown): list is string[] =>
    Array.isArray(list) && list.every((name) => typeof name === 'string' && FILTER_NAME.test(name));
  if (!isNames(allowFilters)) return refuse(['allowFilters'], 'must be a list of filter names, such as ["lfs"]');
  return { settings: { allowFilters }, issues: [] };
}
