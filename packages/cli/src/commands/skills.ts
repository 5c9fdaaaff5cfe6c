import type { InstalledSkill, PlacedSkill, SkillSelection } from '@agent-mux/core';
import { commandOfActions } from '../actions.ts';
import { type Command, type Given, isOn, JSON_FLAG, listFlag, TRUST_FLAG, textFlag } from '../command.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';

export const skills: Command = commandOfActions({
  name: 'skills',
  about:
    'Puts skills (a folder with a SKILL.md) and sub-agents (a Markdown file) where each agent looks for them, for all\n' +
    'projects or for the one in this folder.',
  flags: {
    agent: {
      type: 'string',
      short: 'a',
      multiple: true,
      value: 'NAME,...',
      help: 'For these agents; add: default all that are installed and take one.',
    },
    project: { type: 'boolean', help: 'Those of the project in this folder, instead of your own.' },
    subagent: { type: 'boolean', help: 'A sub-agent, instead of a skill.' },
    name: { type: 'string', value: 'NAME', help: 'Another name than the one in its front matter.' },
    force: { type: 'boolean', help: 'Replace one of the same name.' },
    json: JSON_FLAG,
    'trust-project': TRUST_FLAG,
  },
  actions: {
    list: {
      usage: '[--agent a,b] [--project] [--subagent]',
      about: 'what lies where agents look; without flags all of it',
      maxWords: 0,
      flags: ['agent', 'project', 'subagent'],
      run: list,
    },
    add: {
      usage: 'FOLDER|FILE [--agent a,b] [--project] [--subagent] [--name NAME] [--force]',
      about: 'checks it, then copies it; nothing is overwritten without --force',
      minWords: 1,
      maxWords: 1,
      run: add,
    },
    remove: {
      usage: 'NAME [--agent a,b] [--project] [--subagent]',
      about: 'removes it from the agents named, or from all',
      minWords: 1,
      maxWords: 1,
      flags: ['agent', 'project', 'subagent'],
      run: remove,
    },
  },
  otherwise: 'list',
  examples: [
    { command: 'amux skills', about: 'every skill and sub-agent, of every agent' },
    { command: 'amux skills add ./pdf-tools', about: 'for every agent that is installed and takes skills' },
    { command: 'amux skills add ./pdf-tools --agent claude,codex --project', about: 'for two, in this project' },
    { command: 'amux skills add reviewer.md --subagent -a claude', about: 'a sub-agent' },
    { command: 'amux skills remove pdf-tools -a codex', about: 'and away again' },
  ],
  notes: [
    'The front matter must have a name and a description. Links that lead out of the folder are refused, and a project',
    'cannot have anything written outside of itself.',
  ],
});

function list(given: Given): Promise<number> {
  return withClient(given, async (client) => {
    const found = await client.skills.list(selection(given));
    if (isOn(given, 'json')) return printJson<'skills list'>({ skills: found });
    if (found.length === 0) return print('nothing is there');
    const { yellow } = paint(process.stdout);
    const all = groups(found);
    const rows = all.map(({ name, kind, scope, agents, description, problem }) => [
      name,
      kind,
      scope,
      agents.join(' '),
      problem ?? description ?? '',
    ]);
    const head = ['NAME', 'KIND', 'SCOPE', 'AGENTS', 'ABOUT'];
    return print(
      addHead([head, ...rows], (cell, row, column) => (column === 4 && all[row - 1]?.problem ? yellow(cell) : cell)),
    );
  });
}

function add(given: Given): Promise<number> {
  const name = textFlag(given, 'name');
  const [source = ''] = given.words;
  const options = { ...selection(given, 'skill', 'global'), ...(name ? { name } : {}), force: isOn(given, 'force') };
  return withClient(given, async (client) => {
    const placed = await client.skills.add(source, options);
    if (isOn(given, 'json')) return printJson<'skills add'>({ skills: placed });
    return print(
      groups(placed)
        .map((each) => doneLine(each, each.status))
        .join('\n'),
    );
  });
}

function remove(given: Given): Promise<number> {
  const [name = ''] = given.words;
  return withClient(given, async (client) => {
    const gone = await client.skills.remove(name, selection(given, 'skill', 'global'));
    if (isOn(given, 'json')) return printJson<'skills remove'>({ skills: gone });
    return print(
      groups(gone)
        .map((each) => doneLine(each, 'removed'))
        .join('\n'),
    );
  });
}

function doneLine({ name, agents, path }: { name: string; agents: string[]; path: string }, what: string): string {
  const { green, dim } = paint(process.stdout);
  return `${green('✓')} ${name} ${what}: ${agents.join(', ')} ${dim(path)}`;
}

/** Agents that look in the same folder have the same one. */
function groups<Each extends InstalledSkill | PlacedSkill>(found: readonly Each[]): (Each & { agents: string[] })[] {
  const byPath = new Map<string, Each & { agents: string[] }>();
  for (const each of found) {
    const known = byPath.get(each.path);
    if (known) known.agents.push(each.agent);
    else byPath.set(each.path, { ...each, agents: [each.agent] });
  }
  return [...byPath.values()];
}

function selection(
  given: Given,
  kind?: SkillSelection['kind'],
  scope?: SkillSelection['scope'],
): Pick<SkillSelection, 'agents' | 'kind' | 'scope'> {
  const agents = listFlag(given, 'agent').flatMap((names) => names.split(',').map((name) => name.trim()));
  const wantedKind = isOn(given, 'subagent') ? 'subagent' : kind;
  const wantedScope = isOn(given, 'project') ? 'project' : scope;
  return {
    ...(agents.length > 0 ? { agents } : {}),
    ...(wantedKind ? { kind: wantedKind } : {}),
    ...(wantedScope ? { scope: wantedScope } : {}),
  };
}
