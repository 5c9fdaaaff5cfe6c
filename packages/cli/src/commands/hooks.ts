import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { HookChange, HookFileStatus, HookStatus } from '@agent-mux/core';
import { commandOfActions } from '../actions.ts';
import { requireAmuxOnPath } from '../amux-on-path.ts';
import { type Command, type Given, isOn, JSON_FLAG, TRUST_FLAG } from '../command.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';

export const hooks: Command = commandOfActions({
  name: 'hooks',
  about:
    'Puts hooks into a workspace, by which an agent that somebody starts there by hand tells agent-mux what it does:\n' +
    'at work, at rest, waiting for an answer. They stand beside your own, git does not see them, and they can be taken\n' +
    'out again without a trace.',
  flags: { json: JSON_FLAG, 'trust-project': TRUST_FLAG },
  actions: {
    install: {
      usage: 'AGENT [FOLDER]',
      about: 'beside what is there; twice is once',
      minWords: 1,
      maxWords: 2,
      run: (given) => change(given, 'install'),
    },
    uninstall: {
      usage: 'AGENT [FOLDER]',
      about: 'files are then as they were before',
      minWords: 1,
      maxWords: 2,
      run: (given) => change(given, 'uninstall'),
    },
    status: {
      usage: '[AGENT] [FOLDER]',
      about: 'what is installed, in which files, and what the agent wants to be trusted; without an agent: of all',
      maxWords: 2,
      run: status,
    },
  },
  otherwise: 'status',
  examples: [
    { command: 'amux hooks install claude', about: 'in this folder' },
    { command: 'amux hooks install codex ~/src/app', about: 'in another one' },
    { command: 'amux hooks status', about: 'every agent that has hooks, in this folder' },
    { command: 'amux hooks uninstall claude', about: 'and away again' },
    { command: "amux hooks status claude --json | jq '.agents[].installed'", about: 'for a program' },
  ],
  notes: [
    'What is written calls "amux hooks AGENT EVENT": a command that reads what the agent tells, prints nothing and always',
    'succeeds. For one run without any file there is amux run --hooks.',
  ],
});

function change(given: Given, what: 'install' | 'uninstall'): Promise<number> {
  const [agent = '', cwd] = given.words;
  return withClient(given, async (client) => {
    const { hooks: facet } = client.adapterNamed(agent);
    if (what === 'install' && facet) requireAmuxOnPath(process.env, { lasting: true });
    const done = await client.hooks[what](agent, { cwd });
    if (isOn(given, 'json')) return printJson<'hooks install'>(done);
    return print(what === 'install' ? installedLines(done) : uninstalledLine(done));
  });
}

function status(given: Given): Promise<number> {
  const [agent, cwd] = given.words;
  return withClient(given, async (client) => {
    const found = await lookAll(client, agent, cwd);
    if (isOn(given, 'json')) return printJson<'hooks status'>({ agents: found });
    const { green, yellow } = paint(process.stdout);
    const head = ['AGENT', 'INSTALLED', 'FILES', 'GIT', 'FOR ONE RUN', 'TO BE TRUSTED'];
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

async function lookAll(
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
  return worst ?? (states.some(({ state }) => state === 'installed') ? 'in part' : 'no');
}

const GIT: Readonly<Record<NonNullable<HookFileStatus['git']>, string>> = {
  ignored: 'git ignores it (.git/info/exclude)',
  tracked: 'git tracks it and sees the change',
  yours: 'it was there before, and nothing is said to git',
};

function installedLines({ agent, changed, states, trust, workspace }: HookChange): string {
  const { green, dim } = paint(process.stdout);
  const files = states.map(({ path, git }) => `  ${path}${git ? dim(`  ${GIT[git]}`) : ''}`);
  const first = changed ? `hooks of ${agent} are in ${workspace}` : `hooks of ${agent} were in ${workspace} already`;
  return [`${green('✓')} ${first}`, ...files, ...(trust ? [trust] : [])].join('\n');
}

function uninstalledLine({ agent, changed, workspace }: HookChange): string {
  const { green } = paint(process.stdout);
  return `${green('✓')} ${changed ? `hooks of ${agent} are gone from ${workspace}` : `there were no hooks of ${agent} in ${workspace}`}`;
}
