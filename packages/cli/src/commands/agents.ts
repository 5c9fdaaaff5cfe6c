import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { ConfigFault, InstalledAgentInfo } from '@agent-mux/core';
import { agentRows, agentTable } from '../agents/agent-table.ts';
import { endOnInterrupt } from '../agents/end-on-interrupt.ts';
import { type Command, isOn, JSON_FLAG, TRUST_FLAG } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { faultLine, openClient, problemLine, reportFaults } from '../open-client.ts';
import { print, printJson, printNote, tell } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { Picture } from '../screen/picture.ts';
import { toOneLine } from '../screen/plain.ts';
import { withProgress } from '../screen/progress.ts';

/** Of one agent; amux doctor tells the others. */
const TOLD_FAULTS = 3;

export const agents: Command = {
  usage: 'amux agents [--json]',
  about: 'Lists the agents that can be run: those that amux knows, and those that your configuration files define.',
  flags: { json: JSON_FLAG, 'trust-project': TRUST_FLAG },
  examples: [
    { command: 'amux agents', about: 'what is here' },
    {
      command: `amux agents --json | jq -r '.agents[] | select(.installed) | .agent'`,
      about: 'the names of those installed',
    },
  ],
  notes: [
    'Versions are remembered while what is installed does not change. A version with … is an old answer that is asked for',
    'anew. On a terminal the agents that are not installed are named below the table; elsewhere they are in it.',
  ],
  maxWords: 0,
  async run(given) {
    const client = await openClient(given, { listsProblems: true, listsFaults: true, asksAll: true });
    reportFaults(otherFaults(client));
    const hasEnded = endOnInterrupt(client);
    const json = isOn(given, 'json');
    const picture = new Picture(json ? { write: () => {} } : process.stdout);
    const shown = (infos: readonly InstalledAgentInfo[], asked: ReadonlySet<string>) =>
      agentTable(agentRows(client, infos), asked);
    const infos = await known(client, (each, asked) => picture.draw(shown(each, asked)));
    await client.close();
    if (hasEnded()) return EXIT.aborted;
    const rows = agentRows(client, infos);
    if (json) {
      const untrusted = client.untrusted.map(({ id, file, line }) => ({ agent: id, file, line }));
      const notLoaded = client.adapterProblems.map(({ from, ...problem }) => ({ adapter: from, ...problem }));
      const faulty = [...client.faultyAgents].map(([agent, faults]) => ({ agent, faults }));
      return printJson<'agents'>({ agents: rows, faulty, untrusted, notLoaded });
    }
    const text = shown(infos, new Set());
    if (!picture.draw(text)) print(text);
    const { yellow } = paint(process.stdout);
    for (const { agent, replacesBuiltIn } of client.adapters.list()) {
      if (replacesBuiltIn === undefined) continue;
      print(`${yellow('replaced:')} the built-in agent ${agent} by ${toOneLine(replacesBuiltIn, 1000)}`);
    }
    for (const [agent, faults] of client.faultyAgents) {
      const told = faults.slice(0, TOLD_FAULTS).map(faultLine).join('; ');
      print(`${yellow('faulty:')} ${agent} cannot be run: ${told}${faults.length > TOLD_FAULTS ? '; and more' : ''}`);
    }
    for (const { id, file, line } of client.untrusted) {
      print(`${yellow('not trusted:')} ${id}, defined by ${file}, line ${line}; --trust-project uses it`);
    }
    for (const problem of client.adapterProblems) {
      print(`${yellow('not loaded:')} ${problemLine(problem)}`);
    }
    const absent = rows.filter(({ installed }) => !installed).map(({ agent }) => agent);
    const notes = [
      ...(process.stdout.isTTY && absent.length > 0
        ? [`Not installed: ${absent.join(', ')}. amux install AGENT puts one here.`]
        : []),
      ...(rows.some(({ evidence, installed }) => evidence === 'documented' && (installed || !process.stdout.isTTY))
        ? ['documented: made from public documents; the agent itself was not run with it']
        : []),
      'amux detect AGENT says more of one; amux run -a AGENT "..." runs it.',
    ];
    tell('');
    return printNote(...notes);
  },
};

/** Those that are not told beside an agent. */
function otherFaults({ configFaults, faultyAgents }: ConfiguredClient): ConfigFault[] {
  const told = new Set([...faultyAgents.values()].flat());
  return configFaults.filter((fault) => !told.has(fault));
}

type Show = (infos: readonly InstalledAgentInfo[], asked: ReadonlySet<string>) => boolean;

/** What is known is shown at once; the CLIs that have to be asked are, a few at a time, and shown again as they answer. */
async function known(client: ConfiguredClient, show: Show): Promise<readonly InstalledAgentInfo[]> {
  const glances = await client.adapters.glance();
  const infos = new Map(glances.map(({ info }) => [info.agent, info]));
  const asked = new Set(glances.flatMap(({ info, isCurrent }) => (isCurrent ? [] : [info.agent])));
  if (asked.size === 0) return [...infos.values()];
  const isShown = show([...infos.values()], asked);
  const askAll = (tell: () => void) =>
    Promise.all(
      [...asked].map(async (agent) => {
        const info = await client.adapters.detect(agent);
        if (info) infos.set(agent, info);
        asked.delete(agent);
        tell();
      }),
    );
  if (isShown) await askAll(() => void show([...infos.values()], asked));
  else {
    const words = () => `asking ${asked.size === 1 ? 'one agent' : `${asked.size} agents`} for the version`;
    await withProgress(words(), (say) => askAll(() => say(words())));
  }
  return [...infos.values()];
}
