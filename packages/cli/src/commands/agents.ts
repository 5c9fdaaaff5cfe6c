import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { ConfigIssue, InstalledAgentInfo } from '@agent-mux/core';
import { agentRows, agentTable } from '../agents/agent-table.ts';
import { endOnInterrupt } from '../agents/end-on-interrupt.ts';
import { type Command, hasFlag, JSON_FLAG, TRUST_FLAG } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { issueLine, openClient, problemLine, reportIssues } from '../open-client.ts';
import { print, printInfo, printJson, printNote } from '../output.ts';
import { Frame } from '../screen/frame.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { withProgress } from '../screen/progress.ts';

/** Issues listed per agent; "amux doctor" lists all of them. */
const MAX_ISSUES = 3;

export const agents: Command = {
  usage: 'amux agents [--json]',
  description:
    'Lists all known agents, built in and defined in your configuration, and whether they are\n' + 'installed.',
  flags: { json: JSON_FLAG, 'trust-project': TRUST_FLAG },
  examples: [
    { command: 'amux agents', about: 'List all agents' },
    {
      command: `amux agents --json | jq -r '.agents[] | select(.installed) | .agent'`,
      about: 'Print the names of the installed agents',
    },
  ],
  notes: [
    'Versions are cached until the installation changes. A version marked … is outdated and is being',
    'refreshed. On a terminal, agents that are not installed are listed below the table; otherwise',
    'they are rows of it.',
  ],
  maxArgs: 0,
  async run(options) {
    const client = await openClient(options, { listsProblems: true, listsIssues: true, asksAll: true });
    reportIssues(unassignedIssues(client));
    const hasEnded = endOnInterrupt(client);
    const json = hasFlag(options, 'json');
    const frame = new Frame(json ? { write: () => {} } : process.stdout);
    const shown = (infos: readonly InstalledAgentInfo[], pending: ReadonlySet<string>) =>
      agentTable(agentRows(client, infos), pending);
    const infos = await known(client, (each, pending) => frame.draw(shown(each, pending)));
    await client.close();
    if (hasEnded()) return EXIT.aborted;
    const rows = agentRows(client, infos);
    if (json) {
      const untrusted = client.untrusted.map(({ id, file, line }) => ({ agent: id, file, line }));
      const notLoaded = client.adapterProblems.map(({ from, ...problem }) => ({ adapter: from, ...problem }));
      const invalid = [...client.invalidAgents].map(([agent, issues]) => ({ agent, issues }));
      return printJson<'agents'>({ agents: rows, invalid, untrusted, notLoaded });
    }
    const text = shown(infos, new Set());
    if (!frame.draw(text)) print(text);
    const { yellow } = paint(process.stdout);
    for (const { agent, replacesBuiltIn } of client.adapters.list()) {
      if (replacesBuiltIn === undefined) continue;
      print(`${yellow('replaced:')} built-in agent ${agent}, by ${toOneLine(replacesBuiltIn, 1000)}`);
    }
    for (const [agent, issues] of client.invalidAgents) {
      const listed = issues.slice(0, MAX_ISSUES).map(issueLine).join('; ');
      print(`${yellow('invalid:')} ${agent}: ${listed}${issues.length > MAX_ISSUES ? '; and more' : ''}`);
    }
    for (const { id, file, line } of client.untrusted) {
      print(`${yellow('not trusted:')} ${id}, defined in ${file}, line ${line}; use --trust-project to trust it`);
    }
    for (const problem of client.adapterProblems) {
      print(`${yellow('not loaded:')} ${problemLine(problem)}`);
    }
    const absent = rows.filter(({ installed }) => !installed).map(({ agent }) => agent);
    const notes = [
      ...(process.stdout.isTTY && absent.length > 0
        ? [`Not installed: ${absent.join(', ')}. Run "amux install AGENT" to install one.`]
        : []),
      ...(rows.some(({ evidence, installed }) => evidence === 'documented' && (installed || !process.stdout.isTTY))
        ? ['documented: written from public documentation; not tested with the agent']
        : []),
      'Run "amux detect AGENT" for details, or "amux run -a AGENT ..." to run one.',
    ];
    printInfo('');
    return printNote(...notes);
  },
};

/** Issues that do not belong to one agent. */
function unassignedIssues({ configIssues, invalidAgents }: ConfiguredClient): ConfigIssue[] {
  const assigned = new Set([...invalidAgents.values()].flat());
  return configIssues.filter((issue) => !assigned.has(issue));
}

type Show = (infos: readonly InstalledAgentInfo[], pending: ReadonlySet<string>) => boolean;

/** Shows cached results at once, then queries outdated CLIs a few at a time and redraws as they answer. */
async function known(client: ConfiguredClient, show: Show): Promise<readonly InstalledAgentInfo[]> {
  const glances = await client.adapters.glance();
  const infos = new Map(glances.map(({ info }) => [info.agent, info]));
  const pending = new Set(glances.flatMap(({ info, isCurrent }) => (isCurrent ? [] : [info.agent])));
  if (pending.size === 0) return [...infos.values()];
  const isShown = show([...infos.values()], pending);
  const detectAll = (onDetected: () => void) =>
    Promise.all(
      [...pending].map(async (agent) => {
        const info = await client.adapters.detect(agent);
        if (info) infos.set(agent, info);
        pending.delete(agent);
        onDetected();
      }),
    );
  if (isShown) await detectAll(() => void show([...infos.values()], pending));
  else {
    const status = () => `checking the version of ${pending.size === 1 ? 'one agent' : `${pending.size} agents`}`;
    await withProgress(status(), (say) => detectAll(() => say(status())));
  }
  return [...infos.values()];
}
