import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { HookChange, HookFileStatus, HookStatus } from '@agent-mux/core';
import { requireAmuxOnPath } from '../amux-on-path.ts';
import { type Command, hasFlag, JSON_FLAG, type ParsedArgs, TRUST_FLAG } from '../command.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { defineSubcommands } from '../subcommands.ts';

export const hooks: Command = defineSubcommands({
  name: 'hooks',
  description:
    'Installs hooks in a workspace so the daemon can track agents you start yourself. Your own hooks\n' +
    'are kept; uninstalling restores the files.',
  flags: { json: JSON_FLAG, 'trust-project': TRUST_FLAG },
  actions: {
    install: {
      usage: 'AGENT [FOLDER]',
      about: 'Install the hooks; idempotent',
      minArgs: 1,
      maxArgs: 2,
      run: (args) => change(args, 'install'),
    },
    uninstall: {
      usage: 'AGENT [FOLDER]',
      about: 'Remove the hooks and restore the files',
      minArgs: 1,
      maxArgs: 2,
      run: (args) => change(args, 'uninstall'),
    },
    status: {
      usage: '[AGENT] [FOLDER]',
      about: 'Show installed hooks, their files and required trust',
      maxArgs: 2,
      run: status,
    },
  },
  fallback: 'status',
  examples: [
    { command: 'amux hooks install claude', about: 'Install in the current folder' },
    { command: 'amux hooks install codex ~/src/app', about: 'Install in another folder' },
    { command: 'amux hooks status', about: 'Show all agents that support hooks' },
    { command: 'amux hooks uninstall claude', about: 'Remove the hooks' },
    { command: "amux hooks status claude --json | jq '.agents[].installed'", about: 'Check in a script' },
  ],
  notes: [
    'The hooks call "amux hooks AGENT EVENT", which reads the report from stdin, prints nothing and',
    'always succeeds. For a single run without any files, use "amux run --hooks".',
  ],
});

function change(args: ParsedArgs, what: 'install' | 'uninstall'): Promise<number> {
  const [agent = '', cwd] = args.positionals;
  return withClient(args, async (client) => {
    const { hooks: spec } = client.adapterNamed(agent);
    if (what === 'install' && spec) requireAmuxOnPath(process.env, { lasting: true });
    const done = await client.hooks[what](agent, { cwd });
    if (hasFlag(args, 'json')) return printJson<'hooks install'>(done);
    return print(what === 'install' ? installedLines(done) : uninstalledLine(done));
  });
}

function status(args: ParsedArgs): Promise<number> {
  const [agent, cwd] = args.positionals;
  return withClient(args, async (client) => {
    const found = await readStatuses(client, agent, cwd);
    if (hasFlag(args, 'json')) return printJson<'hooks status'>({ agents: found });
    const { green, yellow } = paint(process.stdout);
    const head = ['AGENT', 'INSTALLED', 'FILES', 'GIT', 'SINGLE RUN', 'TRUST'];
    const rows = found.map((each) => [
      each.agent,
      stateOf(each),
      each.files.join(' '),
      [...new Set(each.states.flatMap(({ git }) => git ?? []))].join(' '),
      each.forRun ? 'yes' : '',
      each.trust ?? '',
    ]);
    const table = addHead([head, ...rows], (cell, _row, column) =>
      column !== 1 ? cell : cell.startsWith('yes') ? green(cell) : cell.startsWith('no') ? cell : yellow(cell),
    );
    const problems = found.flatMap(({ states }) => states.flatMap(({ problem }) => problem ?? []));
    return print([table, ...problems.map((problem) => yellow(problem))].join('\n'));
  });
}

async function readStatuses(
  client: ConfiguredClient,
  agent: string | undefined,
  cwd: string | undefined,
): Promise<HookStatus[]> {
  if (agent !== undefined) client.adapterNamed(agent);
  const agents = agent === undefined ? client.hooks.supported().map((each) => each.agent) : [agent];
  const found: HookStatus[] = [];
  for (const each of agents) found.push(await client.hooks.status(each, { cwd }));
  return found;
}

function stateOf({ installed, states }: HookStatus): string {
  if (installed) return 'yes';
  const worst = (['broken', 'foreign', 'outdated'] as const).find((state) =>
    states.some((each) => each.state === state),
  );
  return worst ?? (states.some(({ state }) => state === 'installed') ? 'partial' : 'no');
}

const GIT: Readonly<Record<NonNullable<HookFileStatus['git']>, string>> = {
  ignored: 'ignored by git (.git/info/exclude)',
  tracked: 'tracked by git; the change is visible',
  yours: 'existing file; not added to .git/info/exclude',
};

function installedLines({ agent, changed, states, trust, workspace }: HookChange): string {
  const { green, dim } = paint(process.stdout);
  const files = states.map(({ path, git }) => `  ${path}${git ? dim(`  ${GIT[git]}`) : ''}`);
  const first = changed
    ? `${agent} hooks installed in ${workspace}`
    : `${agent} hooks already installed in ${workspace}`;
  return [`${green('✓')} ${first}`, ...files, ...(trust ? [trust] : [])].join('\n');
}

function uninstalledLine({ agent, changed, workspace }: HookChange): string {
  const { green } = paint(process.stdout);
  return `${green('✓')} ${changed ? `${agent} hooks removed from ${workspace}` : `no ${agent} hooks in ${workspace}`}`;
}
