import type { AgentWithoutCli } from '@agent-mux/adapters';
import { CAPABILITY_LABELS } from '@agent-mux/cli';
import { type AgentAdapter, type AgentCapabilities, modesOf, NO_CAPABILITIES } from '@agent-mux/core';
import { type AgentProofRecord, agentProofs, casesFor, type ProofRecord, proofCases } from '@agent-mux/testkit';
import { capabilityCell, MARKS } from './capability-status.ts';
import { MANAGED_HEAD, managedRow } from './managed-table.ts';

interface Column {
  title: string;
  capabilities: AgentCapabilities;
  proven: AgentProofRecord['modes'][string] | undefined;
}

/** docs/agents.md: what each agent can do, by its declaration and by the last proof. */
export function agentsPage(
  adapters: readonly AgentAdapter[],
  proofs: ProofRecord,
  withoutCli: readonly AgentWithoutCli[] = [],
): string {
  const shown = adapters.filter(({ agent }) => agentProofs[agent]);
  const documented = adapters.filter(({ documentedBy }) => documentedBy !== undefined);
  return [
    '# Agents',
    '',
    'Made from the declarations of the adapters and from the last proof (`docs/proofs.json`) by `npm run docs`; not edited',
    'by hand. `amux capabilities` prints the same from code, `amux verify <agent>` repeats the proof with the CLI that is',
    'installed.',
    '',
    `${MARKS.verified} verified on the real CLI · ${MARKS.documented} declared, not shown by a case · ` +
      `${MARKS.none} not supported: the option is refused before anything is started`,
    '',
    ...overview(shown, proofs),
    '',
    '## In the default mode',
    '',
    ...matrix(shown.map((adapter) => columnOf(adapter, 0, proofs))),
    '',
    '## What is managed of them',
    '',
    'By `amux sessions`, `config`, `mcp`, `models`, `plugins` and `skills`. Verified: a case of the proof has let the real CLI',
    'write it and read it back, or the other way round.',
    '',
    ...table(
      MANAGED_HEAD,
      [...shown, ...documented].map((adapter) => managedRow(adapter, proofs.agents[adapter.agent])),
    ),
    '',
    ...shown.flatMap((adapter) => agentSection(adapter, proofs)),
    ...documentedSection(documented, proofs),
    ...withoutCliSection(withoutCli),
    '## The cases',
    '',
    'What `npm run test:agents` and `amux verify` do with the real CLI, each where the mode declares what it needs.',
    '',
    ...table(
      ['case', 'what holds'],
      proofCases.map(({ id, title }) => [`\`${id}\``, title]),
    ),
    '',
  ].join('\n');
}

function documentedSection(adapters: readonly AgentAdapter[], proofs: ProofRecord): string[] {
  if (adapters.length === 0) return [];
  const rows = adapters.map((adapter) => [
    `\`${adapter.agent}\``,
    adapter.displayName,
    modesOf(adapter)
      .map(({ name, summary }) => `\`${name}\`: ${summary}`)
      .join('<br>'),
    (adapter.documentedBy ?? []).join('<br>'),
    adapter.installMethods?.[0] ? `\`${adapter.installMethods[0].command.replaceAll('|', '\\|')}\`` : '',
  ]);
  return [
    '## Documented, not run',
    '',
    'These could not be run where the proof is made: they need an account, or come from nowhere that the proof may load',
    'from. Their adapters are made from public documents and shown to keep the contract with output of the documented shape.',
    '',
    ...table(['agent', 'name', 'modes, the default first', 'made from', 'install'], rows),
    '',
    ...matrix(adapters.map((adapter) => columnOf(adapter, 0, proofs))),
    '',
  ];
}

function withoutCliSection(agents: readonly AgentWithoutCli[]): string[] {
  if (agents.length === 0) return [];
  return [
    '## Without a headless CLI',
    '',
    ...table(
      ['agent', 'name', 'why there is no adapter', 'looked up in'],
      agents.map(({ agent, displayName, reason, documentedBy }) => [
        `\`${agent}\``,
        displayName,
        reason,
        documentedBy.join('<br>'),
      ]),
    ),
    '',
  ];
}

/** The short table, also for the README. */
export function overview(adapters: readonly AgentAdapter[], proofs: ProofRecord): string[] {
  const rows = adapters.map((adapter) => {
    const record = proofs.agents[adapter.agent];
    const modes = modesOf(adapter).map(({ name }) => `\`${name}\``);
    const install = adapter.installMethods?.[0]?.command;
    return [
      `\`${adapter.agent}\``,
      adapter.displayName,
      modes.join(', '),
      record ? `${record.version}, ${record.date}` : 'not yet',
      record ? passed(adapter, record) : '',
      install ? `\`${install}\`` : '',
    ];
  });
  return table(['agent', 'name', 'modes, the default first', 'proven with', 'cases passed', 'install'], rows);
}

/** Of all that is declared, also where a mode was not run. */
function passed(adapter: AgentAdapter, record: AgentProofRecord): string {
  const proof = agentProofs[adapter.agent];
  let [count, total] = [0, 0];
  for (const mode of modesOf(adapter)) {
    const results = record.modes[mode.name] ?? {};
    const declared = proof ? casesFor(adapter, mode, proof).map(({ id }) => id) : [];
    total += new Set([...declared, ...Object.keys(results)]).size;
    count += Object.values(results).filter((result) => result === 'passed').length;
  }
  return `${count} of ${total}`;
}

function agentSection(adapter: AgentAdapter, proofs: ProofRecord): string[] {
  const record = proofs.agents[adapter.agent];
  const modes = modesOf(adapter);
  return [
    `## ${adapter.displayName}`,
    '',
    record
      ? `\`${adapter.agent}\`, proven with ${record.package} ${record.version} on ${record.platform}, ${record.date}.`
      : `\`${adapter.agent}\`, without a recorded proof.`,
    '',
    ...modes.map(({ name, summary }) => `- \`${name}\`: ${summary}`),
    '',
    ...(modes.length > 1 ? [...matrix(modes.map((_, index) => columnOf(adapter, index, proofs, 'mode'))), ''] : []),
  ];
}

function columnOf(
  adapter: AgentAdapter,
  index: number,
  proofs: ProofRecord,
  title: 'agent' | 'mode' = 'agent',
): Column {
  const mode = modesOf(adapter)[index]!;
  return {
    title: title === 'agent' ? adapter.agent : mode.name,
    capabilities: mode.capabilities,
    proven: proofs.agents[adapter.agent]?.modes[mode.name],
  };
}

function matrix(columns: readonly Column[]): string[] {
  const rows: string[][] = [];
  let group = '';
  for (const name of capabilityNames()) {
    const label = CAPABILITY_LABELS[name];
    if (label.group !== group) rows.push([`**${label.group}**`, ...columns.map(() => '')]);
    group = label.group;
    rows.push([label.label, ...columns.map((column) => capabilityCell(name, column.capabilities, column.proven))]);
  }
  return table(['', ...columns.map(({ title }) => title)], rows);
}

function capabilityNames(): (keyof AgentCapabilities)[] {
  return Object.keys(CAPABILITY_LABELS).filter((name): name is keyof AgentCapabilities => name in NO_CAPABILITIES);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}
