import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { AuthState, SessionSummary } from '@agent-mux/core';
import { LOGIN } from './agents/agent-table.ts';
import { EXIT } from './exit-codes.ts';
import { openClient } from './open-client.ts';
import { addHead, print } from './output.ts';
import { paint } from './screen/paint.ts';
import { withProgress } from './screen/progress.ts';
import { table } from './screen/table.ts';
import { formatAge, shortIds, titleOf } from './sessions/format.ts';

/** Number of recent sessions listed. */
const RECENT = 4;

interface InstalledAgent {
  agent: string;
  name: string;
  version: string | null;
  login: AuthState['status'];
}

/** `amux` alone on a terminal: shows installed agents and next steps. Starts no agent. */
export async function home(version: string): Promise<number> {
  const client = await openClient({ flags: {}, positionals: [] });
  try {
    const { bold, dim } = paint(process.stdout);
    const agents = await withProgress('looking for agents', () => findAgentsHere(client));
    write(`${bold('amux')} ${version} ${dim('run any coding agent through one interface')}\n`);
    write(agents.length > 0 ? agentTable(agents) : 'No coding agent found on this machine.');
    const recent = await withProgress('reading sessions', (say) =>
      client.sessions
        .list({ limit: RECENT, onProgress: (done, total) => say(`reading sessions: ${done} of ${total}`) })
        .catch(() => ({ sessions: [] })),
    );
    if (recent.sessions.length > 0) write(`\n${bold('Recent sessions')}\n${sessionLines(recent.sessions)}`);
    write(`\n${bold('Next steps')}\n${steps(agents, recent.sessions)}`);
    return EXIT.ok;
  } finally {
    await client.close();
  }
}

async function findAgentsHere(client: ConfiguredClient): Promise<InstalledAgent[]> {
  const { modesOf } = await import('@agent-mux/core');
  return (await client.adapters.glance()).flatMap(({ info, isCurrent }): InstalledAgent[] => {
    const { agent, installed, version, authState: login } = info;
    const adapter = client.adapters.get(agent);
    // Excludes the built-in demo agent and amux running remotely.
    const isBuiltIn = adapter.needsNoInstall || modesOf(adapter).some(({ passthrough }) => passthrough);
    if (!installed || isBuiltIn) return [];
    return [{ agent, name: adapter.displayName, version: isCurrent ? version : null, login }];
  });
}

function agentTable(agents: readonly InstalledAgent[]): string {
  const { yellow } = paint(process.stdout);
  const rows = agents.map(({ agent, name, version, login }) => [agent, name, version ?? '', LOGIN[login]]);
  return addHead(
    [['AGENT', 'NAME', 'VERSION', 'LOGGED IN'], ...rows],
    (cell, _, column) => (column === 3 && (cell === 'no' || cell === 'expired') ? yellow(cell) : cell),
    { keep: [0, 2, 3], spare: [1] },
  );
}

function sessionLines(sessions: readonly SessionSummary[]): string {
  const { dim } = paint(process.stdout);
  const ids = shortIds(sessions.map(({ sessionId }) => sessionId));
  const rows = sessions.map((session, at) => [
    `  ${ids[at]}`,
    session.agent,
    session.updatedAt === undefined ? '' : `${formatAge(session.updatedAt, Date.now())} ago`,
    titleOf(session),
  ]);
  return table(rows, (cell, _, column) => (column === 2 ? dim(cell) : cell), { keep: [0, 1, 2] });
}

function steps(agents: readonly InstalledAgent[], sessions: readonly SessionSummary[]): string {
  const { dim } = paint(process.stdout);
  const locked = agents.find(({ login }) => login === 'unauthenticated' || login === 'expired');
  const ready = agents.find(({ login }) => login === 'authenticated') ?? (locked ? undefined : agents[0]);
  const lines: [string, string][] = [
    ready ? [`amux run -a ${ready.agent} "explain this project"`, 'Run a first prompt'] : ['amux demo', 'Run the demo'],
    ...(ready || !locked ? [] : ([[`amux auth guide ${locked.agent}`, 'Log in']] as [string, string][])),
    ...(agents.length === 0 ? ([['amux install claude', 'Install an agent']] as [string, string][]) : []),
    ...(sessions.length > 0 ? ([['amux sessions', 'List all sessions']] as [string, string][]) : []),
    ['amux doctor', 'Check your setup'],
    ['amux help', 'List all commands'],
  ];
  return table(
    lines.map(([command, about]) => [`  ${command}`, about]),
    (cell, _, column) => (column === 1 ? dim(cell) : cell),
  );
}

function write(text: string): void {
  print(text);
}
