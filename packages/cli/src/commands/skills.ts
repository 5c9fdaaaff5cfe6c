import type { AddedSkill, InstalledSkill, SkillSelection } from '@agent-mux/core';
import { type Command, hasFlag, JSON_FLAG, listFlag, type ParsedArgs, stringFlag, TRUST_FLAG } from '../command.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { defineSubcommands } from '../subcommands.ts';

export const skills: Command = defineSubcommands({
  name: 'skills',
  description:
    'Lists, adds and removes skills (folders with a SKILL.md) and subagents (Markdown files), for all\n' +
    'projects or for the current one.',
  flags: {
    agent: {
      type: 'string',
      short: 'a',
      multiple: true,
      value: 'NAME,...',
      help: 'Agents to use (add: default all installed agents that support it)',
    },
    project: { type: 'boolean', help: 'Use the project in the current folder' },
    subagent: { type: 'boolean', help: 'Manage subagents instead of skills' },
    name: { type: 'string', value: 'NAME', help: 'Name to use instead of the one in the front matter' },
    force: { type: 'boolean', help: 'Replace an existing one of the same name' },
    json: JSON_FLAG,
    'trust-project': TRUST_FLAG,
  },
  actions: {
    list: {
      usage: '[--agent a,b] [--project] [--subagent]',
      about: 'List installed skills and subagents',
      maxArgs: 0,
      flags: ['agent', 'project', 'subagent'],
      run: list,
    },
    add: {
      usage: 'FOLDER|FILE [--agent a,b] [--project] [--subagent] [--name NAME] [--force]',
      about: 'Validate and copy a skill or subagent',
      minArgs: 1,
      maxArgs: 1,
      run: add,
    },
    remove: {
      usage: 'NAME [--agent a,b] [--project] [--subagent]',
      about: 'Remove it from the named agents, or from all',
      minArgs: 1,
      maxArgs: 1,
      flags: ['agent', 'project', 'subagent'],
      run: remove,
    },
  },
  fallback: 'list',
  examples: [
    { command: 'amux skills', about: 'List the skills and subagents of all agents' },
    { command: 'amux skills add ./pdf-tools', about: 'Add a skill to every installed agent that supports skills' },
    {
      command: 'amux skills add ./pdf-tools --agent claude,codex --project',
      about: 'Add it to two agents, for this project',
    },
    { command: 'amux skills add reviewer.md --subagent -a claude', about: 'Add a subagent' },
    { command: 'amux skills remove pdf-tools -a codex', about: 'Remove a skill from one agent' },
  ],
  notes: [
    'The front matter must have a name and a description. Links that lead out of the folder are',
    'rejected, and a project cannot write outside its own folder.',
  ],
});

function list(args: ParsedArgs): Promise<number> {
  return withClient(args, async (client) => {
    const found = await client.skills.list(selection(args));
    if (hasFlag(args, 'json')) return printJson<'skills list'>({ skills: found });
    if (found.length === 0) return print('no skills or subagents found');
    const { yellow } = paint(process.stdout);
    const all = groups(found);
    const rows = all.map(({ name, kind, scope, agents, description, problem }) => [
      name,
      kind,
      scope,
      agents.join(' '),
      problem ?? description ?? '',
    ]);
    const head = ['NAME', 'KIND', 'SCOPE', 'AGENTS', 'DESCRIPTION'];
    return print(
      addHead([head, ...rows], (cell, row, column) => (column === 4 && all[row - 1]?.problem ? yellow(cell) : cell)),
    );
  });
}

function add(args: ParsedArgs): Promise<number> {
  const name = stringFlag(args, 'name');
  const [source = ''] = args.positionals;
  const options = { ...selection(args, 'skill', 'global'), ...(name ? { name } : {}), force: hasFlag(args, 'force') };
  return withClient(args, async (client) => {
    const added = await client.skills.add(source, options);
    if (hasFlag(args, 'json')) return printJson<'skills add'>({ skills: added });
    return print(
      groups(added)
        .map((each) => doneLine(each, each.status))
        .join('\n'),
    );
  });
}

function remove(args: ParsedArgs): Promise<number> {
  const [name = ''] = args.positionals;
  return withClient(args, async (client) => {
    const removed = await client.skills.remove(name, selection(args, 'skill', 'global'));
    if (hasFlag(args, 'json')) return printJson<'skills remove'>({ skills: removed });
    return print(
      groups(removed)
        .map((each) => doneLine(each, 'removed'))
        .join('\n'),
    );
  });
}

function doneLine({ name, agents, path }: { name: string; agents: string[]; path: string }, what: string): string {
  const { green, dim } = paint(process.stdout);
  return `${green('✓')} ${name} ${what}: ${agents.join(', ')} ${dim(path)}`;
}

/** Merges entries of agents that share a folder. */
function groups<Each extends InstalledSkill | AddedSkill>(found: readonly Each[]): (Each & { agents: string[] })[] {
  const byPath = new Map<string, Each & { agents: string[] }>();
  for (const each of found) {
    const known = byPath.get(each.path);
    if (known) known.agents.push(each.agent);
    else byPath.set(each.path, { ...each, agents: [each.agent] });
  }
  return [...byPath.values()];
}

function selection(
  args: ParsedArgs,
  kind?: SkillSelection['kind'],
  scope?: SkillSelection['scope'],
): Pick<SkillSelection, 'agents' | 'kind' | 'scope'> {
  const agents = listFlag(args, 'agent').flatMap((names) => names.split(',').map((name) => name.trim()));
  const wantedKind = hasFlag(args, 'subagent') ? 'subagent' : kind;
  const wantedScope = hasFlag(args, 'project') ? 'project' : scope;
  return {
    ...(agents.length > 0 ? { agents } : {}),
    ...(wantedKind ? { kind: wantedKind } : {}),
    ...(wantedScope ? { scope: wantedScope } : {}),
  };
}
