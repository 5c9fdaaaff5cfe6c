import type { Agent, AgentDetail, Job } from '@agent-mux/api/browser';

interface Said {
  text: string;
  tone: 'good' | 'wait' | 'plain';
}

/** Whether it is here, in which version, and whether that is new enough. */
export function installedWords({ installed, version, meetsMinVersion, minVersion, problem }: Agent): Said {
  if (!installed) return { text: 'not installed', tone: 'plain' };
  if (problem !== undefined) return { text: `does not start: ${problem}`, tone: 'wait' };
  if (!meetsMinVersion) return { text: `${version ?? 'unknown version'}, needs ${minVersion}`, tone: 'wait' };
  return { text: version ?? 'installed', tone: 'good' };
}

export function loginWords({ installed, authState }: Pick<Agent, 'installed' | 'authState'>): Said {
  if (!installed) return { text: '', tone: 'plain' };
  switch (authState) {
    case 'authenticated':
      return { text: 'logged in', tone: 'good' };
    case 'unauthenticated':
      return { text: 'not logged in', tone: 'wait' };
    case 'expired':
      return { text: 'login has expired', tone: 'wait' };
    case 'unknown':
      return { text: 'login not known', tone: 'plain' };
  }
}

export function evidenceWords({ evidence, provenVersions }: Pick<Agent, 'evidence' | 'provenVersions'>): string {
  if (evidence === 'documented') return 'made from its documents, not run with the agent itself';
  if (evidence === 'proven') return `proven with ${provenVersions.join(', ')}`;
  return 'nobody says';
}

/** What is here first, and of that what can be used at once. */
export function orderAgents(agents: readonly Agent[]): Agent[] {
  const rank = ({ installed, authState }: Agent) =>
    !installed ? 2 : authState === 'unauthenticated' || authState === 'expired' ? 1 : 0;
  return [...agents].sort((a, b) => rank(a) - rank(b) || a.displayName.localeCompare(b.displayName));
}

export interface CapabilityRow {
  name: string;
  label: string;
  /** One for each mode, in their order. */
  values: readonly string[];
}

/** `supportsModelSelection` is `model selection`. */
export function labelOf(name: string): string {
  const words = name
    .replace(/^(?:supports|can)(?=[A-Z])/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return words
    .replace(/\bmcp\b/, 'MCP')
    .replace(/\bids\b/, 'ids')
    .replace(/\bpty\b/, 'a terminal');
}

/** A value of the record in a word or two. */
export function capabilityText(value: unknown): string {
  if (value === true) return 'yes';
  if (value === false || value === null || value === undefined) return 'no';
  if (typeof value === 'number') return value >= 1000 ? `${Math.round(value / 1000)}k` : String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'no' : value.map(String).join(', ');
  if (typeof value !== 'object') return String(value);
  const pairs = Object.entries(value).map(([mode, how]) => (how === 'native' ? mode : `${mode} (${String(how)})`));
  return pairs.length === 0 ? 'no' : pairs.join(', ');
}

/** What an agent can do, in each of its modes. */
export function capabilityRows({ modes }: Pick<AgentDetail, 'modes'>): CapabilityRow[] {
  const names = [...new Set(modes.flatMap(({ capabilities }) => Object.keys(capabilities)))];
  const rows = names.map((name) => ({
    name,
    label: labelOf(name),
    values: modes.map(({ capabilities }) => capabilityText(capabilities[name])),
  }));
  const delivery = {
    name: 'promptDelivery',
    label: 'prompt is passed by',
    values: modes.map(({ promptDelivery }) => promptDelivery),
  };
  return [...rows, delivery];
}

/** Lines of a job go on where those before have ended; the oldest of very many are dropped. */
export function addLines(before: readonly string[], news: readonly string[], most = 1000): readonly string[] {
  return news.length === 0 ? before : [...before, ...news].slice(-most);
}

type Verified = Pick<Job, 'agent' | 'action' | 'state' | 'cases' | 'proofs' | 'version'>;

/** What an agent was verified with last, whatever came of it; jobs are the newest first. */
export function lastVerified<Each extends Verified>(jobs: readonly Each[], agent: string): Each | undefined {
  return jobs.find((job) => job.agent === agent && job.action === 'verify' && job.proofs.length > 0);
}

/** `14 of 14 hold`; another version than the one that is here says so. */
export function verifiedWords({ cases, proofs, state, version }: Verified, installed: string | null): Said {
  const passed = proofs.filter(({ status }) => status === 'passed').length;
  const told = `${passed} of ${cases} ${cases === 1 ? 'holds' : 'hold'}`;
  const isOver = proofs.length >= cases;
  const isOther = version !== null && installed !== null && version !== installed;
  return {
    text: [
      told,
      ...(isOver || state === 'running' ? [] : ['not finished']),
      ...(isOther ? [`with ${version}`] : []),
    ].join(', '),
    tone: state === 'running' || isOther ? 'plain' : state === 'done' ? 'good' : 'wait',
  };
}
