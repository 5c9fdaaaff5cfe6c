import type { AgentCapabilities } from '@agent-mux/core';
import { type AgentProofRecord, proofCases } from '@agent-mux/testkit';

export type Status = 'verified' | 'documented' | 'broken';

export const MARKS: Readonly<Record<Status | 'none', string>> = {
  verified: '✓',
  documented: '○',
  broken: '✗',
  none: '–',
};

/** Facts about an agent that no run can show, only be told. */
const DESCRIPTIVE: ReadonlySet<keyof AgentCapabilities> = new Set<keyof AgentCapabilities>([
  'sessionPersistence',
  'execModel',
  'supportedPlatforms',
  'requiresPty',
  'requiresGitRepo',
  'contextWindow',
]);

/** One capability of one mode, as a cell of a table. */
export function capabilityCell(
  name: keyof AgentCapabilities,
  capabilities: AgentCapabilities,
  proven: AgentProofRecord['modes'][string] | undefined,
): string {
  const value = capabilities[name];
  if (DESCRIPTIVE.has(name)) return describe(value);
  if (typeof value === 'boolean') return MARKS[value ? statusOf(name, proven) : 'none'];
  if (value === null || typeof value !== 'object') return describe(value);
  const entries = Array.isArray(value)
    ? value.map((entry: string) => ({ entry, text: entry }))
    : Object.entries(value).map(([entry, how]) => ({ entry, text: how === 'native' ? entry : `${entry} (${how})` }));
  if (entries.length === 0) return MARKS.none;
  return entries.map(({ entry, text }) => `${text} ${MARKS[statusOf(name, proven, entry)]}`).join('<br>');
}

function describe(value: AgentCapabilities[keyof AgentCapabilities]): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value === null) return MARKS.none;
  if (typeof value === 'number') return value.toLocaleString('en-US');
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function statusOf(
  name: keyof AgentCapabilities,
  proven: AgentProofRecord['modes'][string] | undefined,
  entry?: string,
): Status {
  const shown: string[] = entry === undefined ? [name] : [name, `${name}.${entry}`];
  const results = proofCases
    .filter(({ shows }) => shows.some((one) => shown.includes(one)))
    .map(({ id }) => proven?.[id]);
  if (results.includes('failed')) return 'broken';
  return results.includes('passed') ? 'verified' : 'documented';
}
