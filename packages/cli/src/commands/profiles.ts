import type { FileEdit, LoadedConfig } from '@agent-mux/core';
import { commandOfActions } from '../actions.ts';
import { type Command, type Given, isOn, JSON_FLAG } from '../command.ts';
import { reportFaults } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';

export const profiles: Command = commandOfActions({
  name: 'profiles',
  about:
    'Named presets for runs: amux run --profile NAME. Your own are in ~/.config/agent-mux/config.json, those of a\n' +
    'project in its .agent-mux/config.json. A project refines one of yours that has the same name.',
  flags: {
    project: { type: 'boolean', help: "In the project's file, instead of your own." },
    json: JSON_FLAG,
  },
  actions: {
    list: { usage: '', about: 'all of them, merged', maxWords: 0, flags: [], run: list },
    show: {
      usage: 'NAME',
      about: 'what it sets, and which file each value comes from',
      minWords: 1,
      maxWords: 1,
      flags: [],
      run: show,
    },
    set: {
      usage: 'NAME FIELD=VALUE ... [--project]',
      about: 'sets fields of a profile, or makes it; FIELD= takes one out, env.NAME=... is an entry of a map',
      minWords: 2,
      maxWords: Number.POSITIVE_INFINITY,
      run: set,
    },
    delete: { usage: 'NAME [--project]', about: 'takes it out of the file', minWords: 1, maxWords: 1, run: remove },
  },
  otherwise: 'list',
  examples: [
    { command: 'amux profiles', about: 'what there is' },
    { command: 'amux profiles set careful agent=claude approvalMode=plan timeout=5m', about: 'a preset of your own' },
    { command: 'amux profiles set careful retryPolicy.maxRetries=2 --project', about: 'refined for this project' },
    { command: 'amux profiles show careful', about: 'the result, and where it comes from' },
    { command: 'amux run --profile careful "what does main.ts do?"', about: 'and used; flags stand over it' },
  ],
  notes: [
    'Fields are the run options of the SDK: docs/configuration.md. A profile sets nothing that belongs to one run (a',
    'prompt, a session, an id), and that of a project nothing that would run a command, open a folder, hand out a',
    'variable or answer an approval; nor does it loosen what yours of that name says.',
  ],
});

async function load(): Promise<LoadedConfig> {
  const { loadConfig } = await import('@agent-mux/core');
  const config = loadConfig();
  reportFaults(config.faults);
  return config;
}

async function list(given: Given): Promise<number> {
  const { profiles: merged, profileLayers } = await load();
  const { maskProfileValue } = await import('@agent-mux/core');
  const names = Object.keys(merged).sort();
  const optionsOf = (name: string) => asRecord(maskProfileValue([], merged[name]));
  if (isOn(given, 'json')) {
    const files = (name: string) => profileLayers[name]?.map(({ file, line }) => ({ file, line })) ?? [];
    const all = names.map((name) => ({ name, options: optionsOf(name), files: files(name) }));
    return printJson<'profiles list'>({ profiles: all });
  }
  if (names.length === 0) return print('there are no profiles; amux profiles set NAME FIELD=VALUE makes one');
  const rows = names.map((name) => [
    name,
    merged[name]?.agent ?? '',
    (profileLayers[name] ?? []).map(({ trusted }) => (trusted ? 'user' : 'project')).join(' + '),
    Object.entries(optionsOf(name))
      .filter(([field]) => field !== 'agent')
      .map(([field, value]) => `${field}=${showValue(value, field)}`)
      .join(' '),
  ]);
  return print(addHead([['PROFILE', 'AGENT', 'FROM', 'SETS'], ...rows]));
}

async function show(given: Given): Promise<number> {
  const [name = ''] = given.words;
  const { profiles: all, profileLayers } = await load();
  const { maskProfileValue, profileFields } = await import('@agent-mux/core');
  const { findProfile } = await import('../profiles/find-profile.ts');
  const layers = findProfile(name, profileLayers);
  const fields = profileFields(name, layers).map(({ field, value, ...from }) => ({
    field,
    value: maskProfileValue(field.split('.'), value),
    ...from,
  }));
  if (isOn(given, 'json')) {
    return printJson<'profiles show'>({ name, options: asRecord(maskProfileValue([], all[name])), fields });
  }
  const { dim } = paint(process.stdout);
  if (fields.length === 0) return print(`${name} sets nothing`);
  const rows = fields.map(({ field, value, file, line }) => [field, showValue(value, field), `${file}:${line}`]);
  return print(addHead([['FIELD', 'VALUE', 'FROM'], ...rows], (cell, _, column) => (column === 2 ? dim(cell) : cell)));
}

async function set(given: Given): Promise<number> {
  const [name = '', ...words] = given.words;
  const { setProfile } = await import('@agent-mux/core');
  const { readAssignments } = await import('../profiles/assignments.ts');
  const place = { project: isOn(given, 'project') };
  return reportEdit(given, name, await setProfile(name, (current) => readAssignments(words, current), place), 'set');
}

async function remove(given: Given): Promise<number> {
  const [name = ''] = given.words;
  const { deleteProfile } = await import('@agent-mux/core');
  return reportEdit(given, name, await deleteProfile(name, { project: isOn(given, 'project') }), 'deleted');
}

function reportEdit(given: Given, name: string, edit: FileEdit, what: string): number {
  if (isOn(given, 'json')) return printJson<'profiles set' | 'profiles delete'>({ name, ...edit });
  const { green, dim } = paint(process.stdout);
  return print(`${green('✓')} ${name} ${edit.changed ? what : 'is already so'} ${dim(edit.file)}`);
}

/** As it could be given to `amux profiles set`: times as 5m, lists with commas, everything else as JSON. */
function showValue(value: unknown, field: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && TIMES.has(field)) return typedDuration(value);
  if (Array.isArray(value) && value.every((each) => typeof each === 'string' && /^[^,\s]+$/.test(each)))
    return value.join(',');
  return JSON.stringify(value);
}

const TIMES: ReadonlySet<string> = new Set(['timeout', 'inactivityTimeout', 'afterToolTimeout', 'approvalTimeout']);

/** `1h30m`, `90s`: what a flag takes. */
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
