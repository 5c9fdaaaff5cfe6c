import type { AgentCapabilities } from '@agent-mux/core';
import { type AgentVerificationRecord, type Differences, notAssertedIn, verifyCases } from '@agent-mux/testkit';

export type Status = 'verified' | 'partly' | 'documented' | 'broken';

export const MARKS: Readonly<Record<Status | 'none', string>> = {
  verified: '✓',
  partly: '◐',
  documented: '○',
  broken: '✗',
  none: '–',
};

/** Facts about an agent that no run can verify. */
const DESCRIPTIVE: ReadonlySet<keyof AgentCapabilities> = new Set<keyof AgentCapabilities>([
  'sessionPersistence',
  'execModel',
  'supportedPlatforms',
  'requiresPty',
  'requiresGitRepo',
  'contextWindow',
]);

/** Table cell of one capability in one mode. */
export function capabilityCell(
  name: keyof AgentCapabilities,
  capabilities: AgentCapabilities,
  recorded: AgentVerificationRecord['modes'][string] | undefined,
  mode: Differences = { quirks: {} },
): string {
  const value = capabilities[name];
  if (DESCRIPTIVE.has(name)) return describe(value);
  if (typeof value === 'boolean') return MARKS[value ? statusOf(name, { recorded, mode }) : 'none'];
  if (value === null || typeof value !== 'object') return describe(value);
  const entries = Array.isArray(value)
    ? value.map((entry: string) => ({ entry, text: entry }))
    : Object.entries(value).map(([entry, how]) => ({ entry, text: how === 'native' ? entry : `${entry} (${how})` }));
  if (entries.length === 0) return MARKS.none;
  return entries.map(({ entry, text }) => `${text} ${MARKS[statusOf(name, { recorded, mode }, entry)]}`).join('<br>');
}

function describe(value: AgentCapabilities[keyof AgentCapabilities]): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value === null) return MARKS.none;
  if (typeof value === 'number') return value.toLocaleString('en-US');
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function statusOf(
  name: keyof AgentCapabilities,
  { recorded, mode }: { recorded: AgentVerificationRecord['modes'][string] | undefined; mode: Differences },
  entry?: string,
): Status {
  const shown: string[] = entry === undefined ? [name] : [name, `${name}.${entry}`];
  const cases = verifyCases.filter(({ shows }) => shows.some((one) => shown.includes(one)));
  const results = cases.map(({ id }) => recorded?.[id]);
  if (results.includes('failed')) return 'broken';
  if (!results.includes('passed')) return 'documented';
  const isPartly = cases.some((one) => recorded?.[one.id] === 'passed' && notAssertedIn(one, mode).length > 0);
  return isPartly ? 'partly' : 'verified';
}
