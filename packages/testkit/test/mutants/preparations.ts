import { writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expandPath, type HostFiles, type ResolvedRunOptions } from '@agent-mux/core';
import { PLUGINS } from '../valid-adapter/adapter.ts';
import { altered, type Mutant, never } from './mutant.ts';

const FILLED = 'get defaults where they are unset, and stay unchanged where they are set';
const WAITED = 'are prepared within a moment before the process is started';
const HANDED = 'are prepared only with the given files and variables';
const FOUND = 'is detected without an error if the agent is missing';
const LISTED = 'lists its plugins by a command, and invents none from unknown output';
const MODELS = 'lists its models by a command, and invents none from unknown output';
const NAMED = 'has the name of a plugin in its commands';
const HEALTH = /^its health|^a run: /;
const REFUSED = /before anything is spawned|^its health|^a run: /;
const filling = (change: (options: ResolvedRunOptions) => unknown) => altered({ applyDefaults: change });
const listing = (parse: unknown) => altered({ plugins: { ...PLUGINS, list: { args: ['plugins'], parse } } });

export const PREPARATIONS: readonly Mutant[] = [
  ...[undefined, {}, 'options'].map(
    (given): Mutant => ({
      what: `options that are filled in to ${JSON.stringify(given)}`,
      make: () => filling(() => given),
      caughtBy: FILLED,
      also: REFUSED,
    }),
  ),
  {
    what: 'options that are promised',
    make: () => filling(async (options) => options),
    caughtBy: FILLED,
    also: REFUSED,
  },
  { what: 'another prompt', make: () => filling((options) => ({ ...options, prompt: 'mine' })), caughtBy: FILLED },
  { what: 'another model', make: () => filling((options) => ({ ...options, model: 'mine' })), caughtBy: FILLED },
  {
    what: 'yolo for those who have chosen otherwise',
    make: () => filling((options) => ({ ...options, approvalMode: 'yolo' })),
    caughtBy: FILLED,
    also: REFUSED,
  },
  {
    what: 'a native mode that goes before what was chosen',
    make: () => filling((options) => ({ ...options, nativePermissionMode: 'all' })),
    caughtBy: FILLED,
    also: REFUSED,
  },
  {
    what: 'tools that are no longer denied',
    make: () => filling((options) => ({ ...options, deniedTools: [] })),
    caughtBy: FILLED,
    also: REFUSED,
  },
  {
    what: 'options that are written to',
    make: () => filling((options) => Object.assign(options, { model: options.model ?? 'mine' })),
    caughtBy: FILLED,
  },
  {
    what: 'a wait that never ends',
    make: () => altered({ beforeSpawn: never }),
    endless: true,
    caughtBy: WAITED,
    also: /^a run: /,
  },
  {
    what: 'a wait that fails',
    make: () => altered({ beforeSpawn: async () => Promise.reject(new Error('no')) }),
    caughtBy: WAITED,
    also: /^a run: /,
  },
  { what: 'a wait for something', make: () => altered({ beforeSpawn: async () => 7 }), caughtBy: WAITED },
  {
    what: 'a wait that reads a folder directly',
    make: () =>
      altered({
        beforeSpawn: async ({ cwd }: ResolvedRunOptions) => {
          await readdir(cwd).catch(() => []);
        },
      }),
    caughtBy: HANDED,
  },
  {
    what: 'a wait that reads a variable of the process after it has read a folder',
    make: () =>
      altered({
        beforeSpawn: async ({ cwd }: ResolvedRunOptions, _env: NodeJS.ProcessEnv, files: HostFiles) => {
          for (const name of await files.list(cwd))
            await files.firstLine(join(process.env.HOME ?? '', name)).catch(() => '');
        },
      }),
    caughtBy: HANDED,
  },
  ...[undefined, { installed: 'yes' }].map(
    (given): Mutant => ({
      what: `an installation that is ${JSON.stringify(given)}`,
      make: () => altered({ detectInstallation: async () => given }),
      caughtBy: FOUND,
      also: HEALTH,
    }),
  ),
  {
    what: 'an installation check that never ends',
    make: () => altered({ detectInstallation: never }),
    endless: true,
    caughtBy: FOUND,
    also: HEALTH,
  },
  ...(['install', 'update'] as const).flatMap((member): Mutant[] => [
    {
      what: `${member} that changes something in a dry run`,
      make: () =>
        altered({
          [member]: async () => {
            writeFileSync(join(expandPath('~'), 'installed'), '');
            return { ok: true, method: 'npm', command: 'npm install sound' };
          },
        }),
      caughtBy: `is only described by ${member} in a dry run`,
    },
    {
      what: `${member} that returns nothing`,
      make: () => altered({ [member]: async () => ({ ok: true }) }),
      caughtBy: `is only described by ${member} in a dry run`,
    },
    {
      what: `${member} that never ends`,
      make: () => altered({ [member]: never }),
      endless: true,
      caughtBy: `is only described by ${member} in a dry run`,
    },
  ]),
];

export const EXTENSIONS: readonly Mutant[] = [
  ...[undefined, 'x', [null], [{ id: '' }]].map(
    (given): Mutant => ({
      what: `plugins that are ${JSON.stringify(given)}`,
      make: () => listing(() => given),
      caughtBy: LISTED,
    }),
  ),
  { what: 'plugins that are promised', make: () => listing(async () => []), caughtBy: LISTED },
  {
    what: 'a word that is thrown',
    make: () =>
      listing(() => {
        throw 'no plugins';
      }),
    caughtBy: LISTED,
  },
  {
    what: 'plugins of an unknown format',
    make: () => altered({ plugins: { ...PLUGINS, formats: ['floppy-disk'] } }),
    caughtBy: LISTED,
  },
  {
    what: 'a plugin that is forgotten in its command',
    make: () => altered({ plugins: { ...PLUGINS, install: () => ({ args: ['plugins', 'add'] }) } }),
    caughtBy: NAMED,
  },
  ...[undefined, null, {}, 'npm install x'].map(
    (given): Mutant => ({
      what: `a command for a plugin that is ${JSON.stringify(given)}`,
      make: () => altered({ plugins: { ...PLUGINS, uninstall: () => given } }),
      caughtBy: NAMED,
    }),
  ),
  ...[undefined, null, [{ id: 'm' }], 'gpt'].map(
    (given): Mutant => ({
      what: `models that are ${JSON.stringify(given)}`,
      make: () => altered({ modelQuery: { args: ['models'], parse: () => given } }),
      caughtBy: MODELS,
    }),
  ),
  {
    what: 'models that are asked for without arguments',
    make: () => altered({ modelQuery: { args: 'models', parse: () => [] } }),
    caughtBy: MODELS,
  },
  {
    what: 'a list of plugins that never ends',
    make: () =>
      altered({
        plugins: undefined,
        listPlugins: never,
        installPlugin: never,
        uninstallPlugin: never,
        searchPlugins: async () => [],
      }),
    endless: true,
    caughtBy: 'lists and searches plugins without changes if there are none',
  },
  {
    what: 'plugins that are listed as words',
    make: () =>
      altered({
        plugins: undefined,
        listPlugins: async () => ['a', 'b'],
        installPlugin: never,
        uninstallPlugin: never,
        searchPlugins: async () => [],
      }),
    caughtBy: 'lists and searches plugins without changes if there are none',
  },
  {
    what: 'one folder for the skills of all',
    make: () => altered({ extensionFolders: { skills: { global: '~/.sound/skills', project: '~/.sound/skills' } } }),
    caughtBy: 'keeps skills of the user and of the project in separate folders',
  },
];
