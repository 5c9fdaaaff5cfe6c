import type { AgentAdapter, AgentAdapterInfo, InstalledAgentInfo } from '@agent-mux/core';
import { type Command, isOn, JSON_FLAG, TRUST_FLAG } from '../command.ts';
import { openClient, problemLine } from '../open-client.ts';
import { print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { oneLine } from '../screen/plain.ts';
import { withProgress } from '../screen/progress.ts';
import { table } from '../screen/table.ts';

const LOGIN: Readonly<Record<InstalledAgentInfo['authState'], string>> = {
  authenticated: 'yes',
  unauthenticated: 'no',
  expired: 'expired',
  unknown: '?',
};

export const agents: Command = {
  usage: 'amux agents [--json]',
  about: 'Lists the agents that can be run: those that amux knows, and those that your configuration files define.',
  flags: { json: JSON_FLAG, 'trust-project': TRUST_FLAG },
  examples: [
    { command: 'amux agents', about: 'what is here' },
    {
      command: `amux agents --json | jq -r '.[] | select(.installed) | .agent'`,
      about: 'the names of those installed',
    },
  ],
  maxWords: 0,
  async run(given) {
    const client = await openClient(given, { listsProblems: true });
    const { modesOf } = await import('@agent-mux/core');
    const found = await withProgress('looking for agents', () => client.adapters.installed());
    const known = new Map<string, AgentAdapterInfo>(client.adapters.list().map((info) => [info.agent, info]));
    const rows = found.map((info) => {
      const adapter = client.adapters.get(info.agent);
      const modes = modesOf(adapter).map(({ name }) => name);
      const { displayName = info.agent, source = 'built-in', replacesBuiltIn } = known.get(info.agent) ?? {};
      const replaces = replacesBuiltIn === undefined ? {} : { replacesBuiltIn };
      return { ...info, displayName, source, ...replaces, ...evidenceOf(adapter), defaultMode: modes[0] ?? '', modes };
    });
    await client.close();
    if (isOn(given, 'json')) {
      const refused = client.untrusted.map(({ id, file, line }) => ({ agent: id, trusted: false, file, line }));
      const notLoaded = client.adapterProblems.map(({ from, ...problem }) => ({ adapter: from, ...problem }));
      return printJson([...rows, ...refused, ...notLoaded]);
    }
    const { bold, green, dim, yellow } = paint(process.stdout);
    const body = rows.map((row) => [
      row.agent,
      row.displayName,
      row.installed ? 'yes' : 'no',
      row.version ?? (row.installed ? '-' : ''),
      row.installed ? LOGIN[row.authState] : '',
      row.evidence ?? '-',
      row.defaultMode,
    ]);
    const head = ['AGENT', 'NAME', 'INSTALLED', 'VERSION', 'LOGGED IN', 'EVIDENCE', 'DEFAULT MODE'];
    const text = table([head, ...body], (cell, row, column) => {
      if (row === 0) return bold(cell);
      if (column === 2) return cell === 'yes' ? green(cell) : dim(cell);
      return column === 4 && (cell === 'no' || cell === 'expired') ? yellow(cell) : cell;
    });
    print(text);
    for (const { agent, replacesBuiltIn } of known.values()) {
      if (replacesBuiltIn === undefined) continue;
      print(`${yellow('replaced:')} the built-in agent ${agent} by ${oneLine(replacesBuiltIn, 1000)}`);
    }
    for (const { id, file, line } of client.untrusted) {
      print(`${yellow('not trusted:')} ${id}, defined by ${file}, line ${line}; --trust-project uses it`);
    }
    for (const problem of client.adapterProblems) {
      print(`${yellow('not loaded:')} ${problemLine(problem)}`);
    }
    if (rows.some(({ evidence }) => evidence === 'documented')) {
      print(dim('\ndocumented: made from public documents; the agent itself was not run with it'));
    }
    return print(dim(`\namux detect <agent> says more of one; amux run -a <agent> "..." runs it.`));
  },
};

/** Whether the adapter was proven with the agent itself, or made from its documents alone. */
function evidenceOf(adapter: AgentAdapter): {
  evidence: 'proven' | 'documented' | null;
  provenVersions?: readonly string[];
  documentedBy?: readonly string[];
} {
  const { provenVersions = [], documentedBy } = adapter;
  if (documentedBy) return { evidence: 'documented', documentedBy };
  return provenVersions.length > 0 ? { evidence: 'proven', provenVersions } : { evidence: null };
}
