import type { RunOptions } from '../../contract/options.ts';
import { isRecord } from '../../values.ts';

/**
 * Options that are maps: what stands above adds to them and replaces single entries. Everything else is replaced as a
 * whole, lists too: half of an invocation, of a JSON schema or of a list of tools is nobody's wish. But denials add up:
 * what anybody has denied stays denied.
 */
export const MAP_OPTIONS: readonly (keyof RunOptions)[] = ['env', 'mcpServers', 'retryPolicy', 'thinkingOverride'];

/** The later stands over the earlier. */
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
