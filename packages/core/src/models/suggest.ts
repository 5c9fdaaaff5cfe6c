import type { ModelCapabilities } from '../contract/capabilities.ts';
import { suggestNames } from '../suggest-names.ts';

const AT_MOST = 5;

/** Typos first, then names that contain every part of the input: `sonnet-5` matches `claude-sonnet-5-5`. */
export function suggestModels(wanted: string, models: readonly ModelCapabilities[]): string[] {
  const names = models.flatMap(({ id, aliases = [] }) => [id, ...aliases]);
  const parts = partsOf(wanted);
  const sharing = models
    .filter(({ id, displayName = '' }) => {
      const own = [...partsOf(id), ...partsOf(displayName)];
      return parts.length > 0 && parts.every((part) => own.some((other) => other.startsWith(part)));
    })
    .map(({ id }) => id);
  return [...new Set([...suggestNames(wanted, names), ...sharing])].slice(0, AT_MOST);
}

function partsOf(name: string): string[] {
  return name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
}
