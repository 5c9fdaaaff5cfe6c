import type { RunOptions } from '../../contract/options.ts';
import { isRecord } from '../../values.ts';

/**
 * Options that are maps are merged: a later layer adds or replaces single entries. All others, including lists, are
 * replaced as a whole, because half of an invocation, a JSON schema or a tool list makes no sense. Denials add up: what
 * any layer denies stays denied.
 */
export const MAP_OPTIONS: readonly (keyof RunOptions)[] = ['env', 'mcpServers', 'retryPolicy', 'thinkingOverride'];

/** Later layers override earlier ones. */
export function mergeOptions(layers: readonly (Partial<RunOptions> | undefined)[]): Partial<RunOptions> {
  const merged: Record<string, unknown> = {};
  for (const layer of layers) {
    for (const [key, value] of Object.entries(layer ?? {})) {
      if (value === undefined) continue;
      merged[key] = mergeValue(key, merged[key], value);
    }
  }
  return merged;
}

export function mergeValue(key: string, below: unknown, above: unknown): unknown {
  if (isMapOption(key) && isRecord(below) && isRecord(above)) return { ...below, ...above };
  if (key === 'deniedTools' && Array.isArray(below) && Array.isArray(above)) return [...new Set([...below, ...above])];
  return above;
}

export function isMapOption(key: string): boolean {
  return MAP_OPTIONS.some((option) => option === key);
}
