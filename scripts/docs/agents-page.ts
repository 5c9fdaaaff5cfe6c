import type { AgentWithoutCli } from '@agent-mux/adapters';
import { CAPABILITY_LABELS, DELIVERY_LABEL } from '@agent-mux/cli';
import {
  type AgentAdapter,
  type AgentCapabilities,
  LIMITATIONS,
  modesOf,
  NO_CAPABILITIES,
  type PromptDelivery,
  promptDeliveryOf,
} from '@agent-mux/core';
import {
  type AgentProofRecord,
  agentProofs,
  type Carrier,
  casesFor,
  type Differences,
  differencesOf,
  EXCEPTIONS,
  notAssertedIn,
  type ProofRecord,
  proofCases,
  type ReleaseRecord,
} from '@agent-mux/testkit';
import { provenReleases, recordedStatus } from '../agents/record.ts';
import { capabilityCell, MARKS } from './capability-status.ts';
import { MANAGED_HEAD, managedRow } from './managed-table.ts';
import { SCREENS_HEAD, screenRow } from './screens-table.ts';

interface Column {
  title: string;
  capabilities: AgentCapabilities;
  promptDelivery: PromptDelivery;
  proven: AgentProofRecord['modes'][string] | undefined;
  mode: Differences;
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
    `${MARKS.verified} verified on the real CLI · ${MARKS.partly} verified in part: see "Not asserted" · ${MARKS.documented} declared, not shown by a case · ` +
      `${MARKS.none} not supported: the option is refused before anything is started`,
    '',
    ...overview(shown, proofs),
    '',
    '## In the default mode',
    '',
    ...matrix(shown.map((adapter) => columnOf(adapter, 0, proofs))),
    '',
    '## Not asserted',
    '',
    'A CLI may do otherwise than most. The assertion is then switched off for that mode, and a case with such an assertion does',
    'not count as passed: the table above says how many there are.',
    '',
    ...table(
      ['agent', 'mode', 'not asserted'],
      shown.flatMap((adapter) => notAssertedRows(adapter)),
    ),
    '',
    '## What is managed of them',
    '',
    'By `amux sessions`, `config`, `mcp`, `models`, `plugins`, `skills` and `hooks`. Verified: a case of the proof has let the real CLI',
    'write it and read it back, or the other way round.',
    '',
    ...table(
      MANAGED_HEAD,
      [...shown, ...documented].map((adapter) => managedRow(adapter, proofs.agents[adapter.agent])),
    ),
    '',
    '## Their own screens',
    '',
    'What `amux new --terminal` and the dashboard can say to the screen when they open it. What is not here is refused; permissions are always',
    'said, `prompt` where nothing else was asked for, unless they are its own. Verified: the case `terminal` has opened the real screen, seen',
    'its answers, answered what it asked under `prompt`, left it, and gone on with the same conversation; the words for other permissions are taken, and what they let pass was not looked at.',
    '',
    ...table(
      SCREENS_HEAD,
      shown.flatMap((adapter) => {
        const row = screenRow(adapter, proofs);
        return row ? [row] : [];
      }),
    ),
    '',
    ...shown.flatMap((adapter) => agentSection(adapter, proofs)),
    ...documentedSection(documented, proofs),
    ...withoutCliSection(withoutCli),
    '## The cases',
    '',
    'What `npm run test:agents` and `amux verify` do with the real CLI, each where the mode declares what it needs. `npm run test:agents`',
    'runs them in process (`createClient()`) and the essential ones through a daemon (`connect()`) too, unless one of the two is named.',
    '',
    ...table(
      ['case', 'what holds', 'runs'],
      proofCases.map(({ id, title, carrier }) => [`\`${id}\``, title, carrier ? RUNS[carrier] : 'both']),
    ),
    '',
    ...ANOTHER_RELEASE,
    '',
  ].join('\n');
}

const RUNS: Readonly<Record<Carrier, string>> = { process: 'in process', daemon: 'through the daemon' };

const ANOTHER_RELEASE: readonly string[] = [
  '## Another release',
  '',
  'The pinned releases are in `scripts/agents/versions.json`. The same cases prove any other release that npm has:',
  '',
  '```sh',
  'npm run test:agents -- --release previous claude            # the one before the pinned one',
  'npm run test:agents -- --release latest claude codex        # the newest, of several agents',
  'npm run test:agents -- --release 2.1.280 --record claude    # a version (or its beginning), kept as evidence',
  '```',
  '',
  'It is installed into the cache beside the others and run like the pinned one: the usual cases, or with `--full` all.',
  '`--record` adds what was shown to `releases` in `docs/proofs.json`, and leaves what is on record for the pinned release',
  'alone; `npm run docs` then brings this page and `packages/adapters/src/proven-releases.ts` up to date. A release counts as',
  'proven where nothing failed. The oldest proven one is `minVersion` of the adapter: an older CLI is told by `amux agents`,',
  '`amux doctor` and the note `version_too_old` of a run. No case names what a release says of its newest models: the proof',
  'gives each CLI models of its own, or says what its aliases mean.',
  '',
  'An agent that npm does not install has no pinned release. Install the release that you mean in its own way: `amux verify',
  '<agent>` runs the same cases on the CLI that is on the PATH.',
];

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
      record ? `${rangeOf(proofs, adapter.agent) ?? record.version}, ${record.date}` : 'not yet',
      record ? passed(adapter, record) : '',
      install ? `\`${install}\`` : '',
    ];
  });
  return table(['agent', 'name', 'modes, the default first', 'proven with', 'cases passed', 'install'], rows);
}

/** From the oldest release that passed its cases to the newest. */
function rangeOf(proofs: ProofRecord, agent: string): string | undefined {
  const proven = provenReleases(proofs, agent);
  const [oldest, newest] = [proven[0], proven.at(-1)];
  return oldest === newest ? oldest : `${oldest} to ${newest}`;
}

function releaseLine({ version, date, cases, passed, partly, total, failed }: ReleaseRecord): string {
  const which = cases === 'all' ? 'all cases' : 'the usual cases';
  const broken = failed.length > 0 ? `; not ${failed.map((name) => `\`${name}\``).join(', ')}` : '';
  return `- ${version}, ${date}: ${passed} of ${total}${partly > 0 ? `, ${partly} in part` : ''}, ${which}${broken}`;
}

function notAssertedRows(adapter: AgentAdapter): string[][] {
  return modesOf(adapter).flatMap((mode) => {
    const claims = notAssertedIn({ unasserted: EXCEPTIONS }, differencesOf(agentProofs[adapter.agent], mode));
    return claims.length === 0 ? [] : [[`\`${adapter.agent}\``, `\`${mode.name}\``, claims.join('<br>')]];
  });
}

/** Of all that is declared, also where a mode was not run. */
function passed(adapter: AgentAdapter, record: AgentProofRecord): string {
  const proof = agentProofs[adapter.agent];
  let [count, partly, total] = [0, 0, 0];
  for (const mode of modesOf(adapter)) {
    const results = record.modes[mode.name] ?? {};
    const declared = proof ? casesFor(adapter, mode, proof).map(({ id }) => id) : [];
    total += new Set([...declared, ...Object.keys(results)]).size;
    for (const [id, result] of Object.entries(results)) {
      const status = recordedStatus({ agent: adapter.agent, mode: mode.name, id }, result);
      if (status === 'passed') count += 1;
      if (status === 'partly') partly += 1;
    }
  }
  return `${count} of ${total}${partly > 0 ? `, ${partly} in part` : ''}`;
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
    ...modes.flatMap(({ name, summary, limitations = [] }) => [
      `- \`${name}\`: ${summary}`,
      ...limitations.map((one) => `  - limitation: ${LIMITATIONS[one]}`),
    ]),
    '',
    ...throughDaemon(record),
    ...otherReleases(proofs, adapter.agent),
    ...(modes.length > 1 ? [...matrix(modes.map((_, index) => columnOf(adapter, index, proofs, 'mode'))), ''] : []),
  ];
}

function throughDaemon(record: AgentProofRecord | undefined): string[] {
  const results = Object.values(record?.daemon ?? {}).flatMap((cases) => Object.values(cases));
  if (results.length === 0) return [];
  const held = results.filter((result) => result === 'passed').length;
  return [`Through the daemon ${held} of ${results.length} cases hold.`, ''];
}

function otherReleases(proofs: ProofRecord, agent: string): string[] {
  const releases = proofs.releases[agent] ?? [];
  const range = rangeOf(proofs, agent);
  if (releases.length === 0 || range === undefined) return [];
  return [`Releases with evidence: ${range}. Beside the pinned one:`, '', ...releases.map(releaseLine), ''];
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
    promptDelivery: promptDeliveryOf(mode),
    proven: proofs.agents[adapter.agent]?.modes[mode.name],
    mode: differencesOf(agentProofs[adapter.agent], mode),
  };
}

function matrix(columns: readonly Column[]): string[] {
  const rows: string[][] = [];
  let group = '';
  for (const name of capabilityNames()) {
    const label = CAPABILITY_LABELS[name];
    if (label.group !== group) rows.push([`**${label.group}**`, ...columns.map(() => '')]);
    group = label.group;
    rows.push([
      label.label,
      ...columns.map((column) => capabilityCell(name, column.capabilities, column.proven, column.mode)),
    ]);
    if (name === 'systemPrompt') rows.push([DELIVERY_LABEL, ...columns.map(({ promptDelivery }) => promptDelivery)]);
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
