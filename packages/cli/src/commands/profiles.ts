import type { FileEdit, LoadedConfig } from '@agent-mux/core';
import { type Command, hasFlag, JSON_FLAG, type ParsedArgs } from '../command.ts';
import { reportIssues } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { defineSubcommands } from '../subcommands.ts';

export const profiles: Command = defineSubcommands({
  name: 'profiles',
  description:
    "Manages named sets of run options, in ~/.config/agent-mux/config.json or in a project's\n" +
    '.agent-mux/config.json. A project profile refines yours of the same name.',
  flags: {
    project: { type: 'boolean', help: "Edit the project's file instead of yours" },
    json: JSON_FLAG,
  },
  actions: {
    list: { usage: '', about: 'List all profiles, merged', maxArgs: 0, flags: [], run: list },
    show: {
      usage: 'NAME',
      about: 'Show the fields of a profile and their source files',
      minArgs: 1,
      maxArgs: 1,
      flags: [],
      run: show,
    },
    set: {
      usage: 'NAME FIELD=VALUE ... [--project]',
      about: 'Set fields; FIELD= removes one, env.NAME=V sets an entry',
      minArgs: 2,
      maxArgs: Number.POSITIVE_INFINITY,
      run: set,
    },
    remove: { usage: 'NAME [--project]', about: 'Remove a profile', minArgs: 1, maxArgs: 1, run: remove },
  },
  fallback: 'list',
  examples: [
    { command: 'amux profiles', about: 'List all profiles' },
    { command: 'amux profiles set careful agent=claude approvalMode=plan timeout=5m', about: 'Create a profile' },
    { command: 'amux profiles set careful retryPolicy.maxRetries=2 --project', about: 'Refine it for this project' },
    { command: 'amux profiles show careful', about: 'Show the result and where each value comes from' },
    { command: 'amux run --profile careful "what does main.ts do?"', about: 'Use it; flags take precedence' },
  ],
  notes: [
    "Fields are the SDK's run options (see docs/configuration.md), except those of a single run:",
    'prompt, session and ids. A project profile cannot run commands, add folders, pass variables or',
    'answer approvals, and cannot loosen your profile of the same name.',
  ],
});

async function load(): Promise<LoadedConfig> {
  const { loadConfig } = await import('@agent-mux/core');
  const config = loadConfig();
  reportIssues(config.issues);
  return config;
}

async function list(args: ParsedArgs): Promise<number> {
  const { profiles: merged, profileLayers } = await load();
  const { maskProfileValue } = await import('@agent-mux/core');
  const names = Object.keys(merged).sort();
  const optionsOf = (name: string) => asRecord(maskProfileValue([], merged[name]));
  if (hasFlag(args, 'json')) {
    const files = (name: string) => profileLayers[name]?.map(({ file, line }) => ({ file, line })) ?? [];
    const all = names.map((name) => ({ name, options: optionsOf(name), files: files(name) }));
    return printJson<'profiles list'>({ profiles: all });
  }
  if (names.length === 0) return print('no profiles; run "amux profiles set NAME FIELD=VALUE" to create one');
  const rows = names.map((name) => [
    name,
    merged[name]?.agent ?? '',
    (profileLayers[name] ?? []).map(({ trusted }) => (trusted ? 'user' : 'project')).join(' + '),
    Object.entries(optionsOf(name))
      .filter(([field]) => field !== 'agent')
      .map(([field, value]) => `${field}=${showValue(value, field)}`)
      .join(' '),
  ]);
  return print(addHead([['PROFILE', 'AGENT', 'SOURCE', 'OPTIONS'], ...rows]));
}

async function show(args: ParsedArgs): Promise<number> {
  const [name = ''] = args.positionals;
  const { profiles: all, profileLayers } = await load();
  const { maskProfileValue, profileFields } = await import('@agent-mux/core');
  const { findProfile } = await import('../profiles/find-profile.ts');
  const layers = findProfile(name, profileLayers);
  const fields = profileFields(name, layers).map(({ field, value, ...from }) => ({
    field,
    value: maskProfileValue(field.split('.'), value),
    ...from,
  }));
  if (hasFlag(args, 'json')) {
    return printJson<'profiles show'>({ name, options: asRecord(maskProfileValue([], all[name])), fields });
  }
  const { dim } = paint(process.stdout);
  if (fields.length === 0) return print(`${name} has no fields`);
  const rows = fields.map(({ field, value, file, line }) => [field, showValue(value, field), `${file}:${line}`]);
  return print(
    addHead([['FIELD', 'VALUE', 'SOURCE'], ...rows], (cell, _, column) => (column === 2 ? dim(cell) : cell)),
  );
}

async function set(args: ParsedArgs): Promise<number> {
  const [name = '', ...assignments] = args.positionals;
  const { setProfile } = await import('@agent-mux/core');
  const { readAssignments } = await import('../profiles/assignments.ts');
  const scope = { project: hasFlag(args, 'project') };
  return reportEdit(
    args,
    name,
    await setProfile(name, (current) => readAssignments(assignments, current), scope),
    'set',
  );
}

async function remove(args: ParsedArgs): Promise<number> {
  const [name = ''] = args.positionals;
  const { deleteProfile } = await import('@agent-mux/core');
  return reportEdit(args, name, await deleteProfile(name, { project: hasFlag(args, 'project') }), 'removed');
}

function reportEdit(args: ParsedArgs, name: string, edit: FileEdit, what: string): number {
  if (hasFlag(args, 'json')) return printJson<'profiles set' | 'profiles remove'>({ name, ...edit });
  const { green, dim } = paint(process.stdout);
  return print(`${green('✓')} ${name} ${edit.changed ? what : 'unchanged'} ${dim(edit.file)}`);
}

/** In the syntax of `amux profiles set`: durations as 5m, lists with commas, everything else as JSON. */
function showValue(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && TIMES.has(field)) return typedDuration(value);
  if (Array.isArray(value) && value.every((each) => typeof each === 'string' && /^[^,\s]+$/.test(each)))
    return value.join(',');
  return JSON.stringify(value);
}

const TIMES: ReadonlySet<string> = new Set(['timeout', 'inactivityTimeout', 'afterToolTimeout', 'approvalTimeout']);

/** `1h30m`, `90s`: the syntax of duration flags. */
function typedDuration(ms: number): string {
  const parts: [number, string][] = [
    [Math.floor(ms / 3_600_000), 'h'],
    [Math.floor(ms / 60_000) % 60, 'm'],
    [Math.floor(ms / 1000) % 60, 's'],
    [ms % 1000, 'ms'],
  ];
  return parts.map(([count, unit]) => (count > 0 ? `${count}${unit}` : '')).join('') || '0';
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
