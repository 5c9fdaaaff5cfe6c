import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { AuthState, SessionSummary } from '@agent-mux/core';
import { LOGIN } from './agents/agent-table.ts';
import { EXIT } from './exit-codes.ts';
import { openClient } from './open-client.ts';
import { addHead, print } from './output.ts';
import { paint } from './screen/paint.ts';
import { withProgress } from './screen/progress.ts';
import { table } from './screen/table.ts';
import { age, shortIds, titleOf } from './sessions/words.ts';

/** So many of the newest sessions. */
const RECENT = 4;

interface Here {
  agent: string;
  name: string;
  version: string | null;
  login: AuthState['status'];
}

/** `amux` alone on a terminal: what is here, and what to try. No agent is started for it. */
export async function home(version: string): Promise<number> {
  const client = await openClient({ flags: {}, words: [] });
  try {
    const { bold, dim } = paint(process.stdout);
    const agents = await withProgress('looking for agents', () => findAgentsHere(client));
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

async function findAgentsHere(client: ConfiguredClient): Promise<Here[]> {
  const { modesOf } = await import('@agent-mux/core');
  return (await client.adapters.glance()).flatMap(({ info, isCurrent }): Here[] => {
    const { agent, installed, version, authState: login } = info;
    const adapter = client.adapters.get(agent);
    // Not what comes with amux, nor amux itself in another place.
    const isOwn = adapter.needsNoInstall || modesOf(adapter).some(({ passthrough }) => passthrough);
    if (!installed || isOwn) return [];
    return [{ agent, name: adapter.displayName, version: isCurrent ? version : null, login }];
  });
}

function agentTable(agents: readonly Here[]): string {
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
    session.updatedAt === undefined ? '' : `${age(session.updatedAt, Date.now())} ago`,
    titleOf(session),
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
    ...(ready || !locked ? [] : ([[`amux auth guide ${locked.agent}`, 'how to log in']] as [string, string][])),
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

function write(text: string): void {
  print(text);
}
