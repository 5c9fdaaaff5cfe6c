import type { ConfiguredClient } from '@agent-mux/adapters';
import type { AuthState, SessionSummary } from '@agent-mux/core';
import { EXIT } from './exit-codes.ts';
import { openClient } from './open-client.ts';
import { headed, print } from './output.ts';
import { paint } from './screen/paint.ts';
import { oneLine } from './screen/plain.ts';
import { withProgress } from './screen/progress.ts';
import { table } from './screen/table.ts';

/** So many of the newest sessions. */
const RECENT = 4;

interface Here {
  agent: string;
  name: string;
  version: string | null;
  login: AuthState['status'];
}

const LOGIN: Readonly<Record<AuthState['status'], string>> = {
  authenticated: 'yes',
  unauthenticated: 'no',
  expired: 'expired',
  unknown: '?',
};

/** `amux` alone on a terminal: what is here, and what to try. No agent is started for it. */
export async function home(version: string): Promise<number> {
  const client = await openClient({ flags: {}, words: [] });
  try {
    const { bold, dim } = paint(process.stdout);
    const agents = await withProgress('looking for agents', () => agentsHere(client));
    write(`${bold('amux')} ${version} ${dim('runs any coding agent through one contract')}\n`);
    write(agents.length > 0 ? agentTable(agents) : 'No coding agent was found on this machine.');
    const recent = await withProgress('reading sessions', (say) =>
      client.sessions
        .list({ limit: RECENT, onProgress: (done, total) => say(`reading sessions: ${done} of ${total}`) })
        .catch(() => ({ sessions: [] })),
    );
    if (recent.sessions.length > 0) write(`\n${bold('Recent sessions')}\n${sessionLines(recent.sessions)}`);
    write(`\n${bold('Try')}\n${steps(agents, recent.sessions)}`);
    return EXIT.ok;
  } finally {
    await client.close();
  }
}

async function agentsHere(client: ConfiguredClient): Promise<Here[]> {
  const { modesOf } = await import('@agent-mux/core');
  const known = client.adapters.list().filter(({ agent }) => {
    const adapter = client.adapters.get(agent);
    // Not what comes with amux, nor amux itself in another place.
    return !adapter.needsNoInstall && !modesOf(adapter).some(({ passthrough }) => passthrough);
  });
  const all = await Promise.all(
    known.map(async ({ agent, displayName }): Promise<Here[]> => {
      const found = await client.adapters.lookup(agent).catch(() => null);
      if (found === null) return [];
      const [version, auth] = await Promise.all([
        client.adapters.knownVersion(agent),
        client.adapters.get(agent).detectAuth(),
      ]);
      return [{ agent, name: displayName, version, login: auth.status }];
    }),
  );
  return all.flat();
}

function agentTable(agents: readonly Here[]): string {
  const { yellow } = paint(process.stdout);
  const rows = agents.map(({ agent, name, version, login }) => [agent, name, version ?? '', LOGIN[login]]);
  return headed([['AGENT', 'NAME', 'VERSION', 'LOGGED IN'], ...rows], (cell, _, column) =>
    column === 3 && (cell === 'no' || cell === 'expired') ? yellow(cell) : cell,
  );
}

function sessionLines(sessions: readonly SessionSummary[]): string {
  const { dim } = paint(process.stdout);
  const rows = sessions.map(({ agent, sessionId, title, firstPrompt, updatedAt }) => [
    `  ${sessionId.slice(0, 8)}`,
    agent,
    updatedAt === undefined ? '' : ago(Date.now() - updatedAt),
    oneLine(title ?? firstPrompt ?? '', 200),
  ]);
  return table(rows, (cell, _, column) => (column === 2 ? dim(cell) : cell), { keep: [0, 1, 2] });
}

function steps(agents: readonly Here[], sessions: readonly SessionSummary[]): string {
  const { dim } = paint(process.stdout);
  const locked = agents.find(({ login }) => login === 'unauthenticated' || login === 'expired');
  const ready = agents.find(({ login }) => login === 'authenticated') ?? (locked ? undefined : agents[0]);
  const lines: [string, string][] = [
    ready
      ? [`amux run -a ${ready.agent} "explain this project"`, 'a first question']
      : ['amux demo', 'a whole run right now, without account or install'],
    ...(ready || !locked ? [] : ([[`amux auth ${locked.agent}`, 'how to log in']] as [string, string][])),
    ...(agents.length === 0 ? ([['amux install claude', 'get an agent']] as [string, string][]) : []),
    ...(sessions.length > 0 ? ([['amux sessions', 'all conversations, of every agent']] as [string, string][]) : []),
    ['amux doctor', 'is everything in order?'],
    ['amux help', 'all commands'],
  ];
  return table(
    lines.map(([command, about]) => [`  ${command}`, about]),
    (cell, _, column) => (column === 1 ? dim(cell) : cell),
  );
}

/** `3 h ago`. */
function ago(ms: number): string {
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.round(hours / 24)} days ago`;
}

function write(text: string): void {
  print(text);
}
