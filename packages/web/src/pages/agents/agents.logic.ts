import type { Agent, AgentDetail, Job } from '@agent-mux/api/browser';

interface StatusText {
  text: string;
  tone: 'good' | 'wait' | 'plain';
}

/** Installation status: missing, broken, outdated, or the version. */
export function installedText({ installed, version, meetsMinVersion, minVersion, problem }: Agent): StatusText {
  if (!installed) return { text: 'not installed', tone: 'plain' };
  if (problem !== undefined) return { text: `does not start: ${problem}`, tone: 'wait' };
  if (!meetsMinVersion) return { text: `${version ?? 'unknown version'}, needs ${minVersion}`, tone: 'wait' };
  return { text: version ?? 'installed', tone: 'good' };
}

export function loginText({ installed, authState }: Pick<Agent, 'installed' | 'authState'>): StatusText {
  if (!installed) return { text: '', tone: 'plain' };
  switch (authState) {
    case 'authenticated':
      return { text: 'logged in', tone: 'good' };
    case 'unauthenticated':
      return { text: 'not logged in', tone: 'wait' };
    case 'expired':
      return { text: 'login expired', tone: 'wait' };
    case 'unknown':
      return { text: 'login unknown', tone: 'plain' };
  }
}

export function evidenceText({ evidence, verifiedVersions }: Pick<Agent, 'evidence' | 'verifiedVersions'>): string {
  if (evidence === 'documented') return 'based on documentation, not tested with the agent';
  if (evidence === 'verified') return `verified with ${verifiedVersions.join(', ')}`;
  return 'unknown';
}

/** Installed agents first, and among them those that are logged in. */
export function orderAgents(agents: readonly Agent[]): Agent[] {
  const rank = ({ installed, authState }: Agent) =>
    !installed ? 2 : authState === 'unauthenticated' || authState === 'expired' ? 1 : 0;
  return [...agents].sort((a, b) => rank(a) - rank(b) || a.displayName.localeCompare(b.displayName));
}

export interface CapabilityRow {
  name: string;
  label: string;
  /** One value per mode, in mode order. */
  values: readonly string[];
}

/** `supportsModelSelection` is `model selection`. */
export function labelOf(name: string): string {
  const text = name
    .replace(/^(?:supports|can)(?=[A-Z])/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return text
    .replace(/\bmcp\b/, 'MCP')
    .replace(/\bids\b/, 'ids')
    .replace(/\bpty\b/, 'a terminal');
}

/** Display text of a capability value. */
export function capabilityText(value: unknown): string {
  if (value === true) return 'yes';
  if (value === false || value === null || value === undefined) return 'no';
  if (typeof value === 'number') return value >= 1000 ? `${Math.round(value / 1000)}k` : String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'no' : value.map(String).join(', ');
  if (typeof value !== 'object') return String(value);
  const pairs = Object.entries(value).map(([mode, how]) => (how === 'native' ? mode : `${mode} (${String(how)})`));
  return pairs.length === 0 ? 'no' : pairs.join(', ');
}

/** Capabilities of an agent by mode. */
export function capabilityRows({ modes }: Pick<AgentDetail, 'modes'>): CapabilityRow[] {
  const names = [...new Set(modes.flatMap(({ capabilities }) => Object.keys(capabilities)))];
  const rows = names.map((name) => ({
    name,
    label: labelOf(name),
    values: modes.map(({ capabilities }) => capabilityText(capabilities[name])),
  }));
  const delivery = {
    name: 'promptDelivery',
    label: 'prompt delivery',
    values: modes.map(({ promptDelivery }) => promptDelivery),
  };
  return [...rows, delivery];
}

/** Appends lines of a job and drops the oldest above the maximum. */
export function addLines(before: readonly string[], added: readonly string[], max = 1000): readonly string[] {
  return added.length === 0 ? before : [...before, ...added].slice(-max);
}

type Verified = Pick<Job, 'agent' | 'action' | 'state' | 'caseCount' | 'results' | 'version'>;

/** The last verification of an agent that has results; `jobs` are sorted newest first. */
export function lastVerified<Each extends Verified>(jobs: readonly Each[], agent: string): Each | undefined {
  return jobs.find((job) => job.agent === agent && job.action === 'verify' && job.results.length > 0);
}

/** `14 of 14 passed`, with the verified version if it differs from the installed one. */
export function verifiedText({ caseCount, results, state, version }: Verified, installed: string | null): StatusText {
  const passed = results.filter(({ status }) => status === 'passed').length;
  const summary = `${passed} of ${caseCount} passed`;
  const isOver = results.length >= caseCount;
  const isOther = version !== null && installed !== null && version !== installed;
  return {
    text: [
      summary,
      ...(isOver || state === 'running' ? [] : ['not finished']),
      ...(isOther ? [`with ${version}`] : []),
    ].join(', '),
    tone: state === 'running' || isOther ? 'plain' : state === 'completed' ? 'good' : 'wait',
  };
}
