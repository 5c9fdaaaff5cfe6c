import type { Agent } from '@agent-mux/api/browser';

const WORDS: Readonly<Record<string, string>> = {
  prompt: 'Ask before anything but reading',
  'accept-edits': 'Edit files, ask for the rest',
  plan: 'Look and plan, change nothing',
  deny: 'Refuse whatever would ask',
  yolo: 'Everything, without asking',
};

/** The modes that an agent knows, in our order; asking first. */
export function approvalModesOf(capabilities: Readonly<Record<string, unknown>>): { mode: string; word: string }[] {
  const { approvalModes } = capabilities;
  const known: readonly unknown[] = Array.isArray(approvalModes) ? approvalModes : [];
  return Object.entries(WORDS).flatMap(([mode, word]) => (known.includes(mode) ? [{ mode, word }] : []));
}

/** Those that can be used now first; the demo after those that do real work. */
export function sortAgents(agents: readonly Agent[]): Agent[] {
  const rank = ({ installed, authState, agent, cliPath }: Agent) => {
    if (!installed) return 4;
    if (agent === 'demo') return 2;
    if (authState === 'authenticated') return 0;
    return authState === 'unknown' && cliPath !== null ? 1 : 3;
  };
  return [...agents].sort((a, b) => rank(a) - rank(b) || a.displayName.localeCompare(b.displayName));
}
