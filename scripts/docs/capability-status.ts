import type { AgentCapabilities } from '@agent-mux/core';
import { type AgentProofRecord, type Differences, notAssertedIn, proofCases } from '@agent-mux/testkit';

export type Status = 'verified' | 'partly' | 'documented' | 'broken';

export const MARKS: Readonly<Record<Status | 'none', string>> = {
  verified: '✓',
  partly: '◐',
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
  mode: Differences = { quirks: {} },
): string {
  const value = capabilities[name];
  if (DESCRIPTIVE.has(name)) return describe(value);
  if (typeof value === 'boolean') return MARKS[value ? statusOf(name, { proven, mode }) : 'none'];
  if (value === null || typeof value !== 'object') return describe(value);
  const entries = Array.isArray(value)
    ? value.map((entry: string) => ({ entry, text: entry }))
    : Object.entries(value).map(([entry, how]) => ({ entry, text: how === 'native' ? entry : `${entry} (${how})` }));
  if (entries.length === 0) return MARKS.none;
  return entries.map(({ entry, text }) => `${text} ${MARKS[statusOf(name, { proven, mode }, entry)]}`).join('<br>');
}

function describe(value: AgentCapabilities[keyof AgentCapabilities]): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value === null) return MARKS.none;
  if (typeof value === 'number') return value.toLocaleString('en-US');
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function statusOf(
  name: keyof AgentCapabilities,
  { proven, mode }: { proven: AgentProofRecord['modes'][string] | undefined; mode: Differences },
  entry?: string,
): Status {
  const shown: string[] = entry === undefined ? [name] : [name, `${name}.${entry}`];
  const cases = proofCases.filter(({ shows }) => shows.some((one) => shown.includes(one)));
  const results = cases.map(({ id }) => proven?.[id]);
  if (results.includes('failed')) return 'broken';
  if (!results.includes('passed')) return 'documented';
  const isPartly = cases.some((one) => proven?.[one.id] === 'passed' && notAssertedIn(one, mode).length > 0);
  return isPartly ? 'partly' : 'verified';
}
