import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expandPath } from '@agent-mux/core';
import { STORE, ValidAdapter } from '../valid-adapter/adapter.ts';
import { altered, type Mutant, never } from './mutant.ts';

const LOOKED = 'is detected quickly and without an error if the user never logged in';
const LOGIN = /^its login|^its health|^a run: /;
const LISTED = 'are none if the folder is missing';
const KEPT = 'are found in the given environment, as paths with a stamp';
const UNMADE = 'are not invented from a missing or invalid file';
const EMPTY = 'is empty if there is none';
const WRITTEN = 'of the user is written without changing anything else in it';
const CONFIG = /^its native configuration|^its health|^a run: /;
const SESSION = { agent: 'sound', sessionId: 's', messages: [] };
const rejecting = async () => Promise.reject(new Error('no'));
const left = (name: string) => writeFileSync(join(expandPath('~'), name), '');

export const AUTH: readonly Mutant[] = [
  ...[undefined, 'yes', { status: 'maybe' }].map(
    (options): Mutant => ({
      what: `a login that is ${JSON.stringify(options)}`,
      make: () => altered({ detectAuth: async () => options }),
      caughtBy: LOOKED,
      also: LOGIN,
    }),
  ),
  { what: 'a login check that fails', make: () => altered({ detectAuth: rejecting }), caughtBy: LOOKED, also: LOGIN },
  {
    what: 'a login check that never ends',
    make: () => altered({ detectAuth: never }),
    endless: true,
    caughtBy: LOOKED,
    also: LOGIN,
  },
  {
    what: 'a login without any login',
    make: () => altered({ detectAuth: async () => ({ status: 'authenticated', method: 'api_key' }) }),
    caughtBy: 'is not reported if there is none',
  },
  {
    what: 'a login that is looked for in this process only',
    make: () => {
      const sound = new ValidAdapter();
      return altered({ detectAuth: () => sound.detectAuth(process.env) });
    },
    caughtBy: 'is detected without changes, and only in the given environment',
    also: /is detected with the variables/,
  },
  {
    what: 'a login check that leaves a file',
    make: () => {
      const sound = new ValidAdapter();
      return altered({
        detectAuth: (env?: NodeJS.ProcessEnv) => {
          left('.sound-seen');
          return sound.detectAuth(env);
        },
      });
    },
    caughtBy: 'is detected without changes, and only in the given environment',
  },
  {
    what: 'a key that is repeated',
    make: () =>
      altered({
        detectAuth: async (env: NodeJS.ProcessEnv = process.env) =>
          env.SOUND_API_KEY
            ? { status: 'authenticated', method: 'api_key', details: `with ${env.SOUND_API_KEY}` }
            : { status: 'unauthenticated' },
      }),
    caughtBy: 'is detected with the variables of "a key" without leaking their values',
  },
  {
    what: 'a key that does not reach the agent',
    make: () => altered({ envAllowList: ['SOUND_HOME'] }),
    caughtBy: 'reaches the agent with the variables of "a key"',
  },
  ...[
    undefined,
    null,
    {},
    { agent: 'sound', steps: 'log in', methods: [] },
    { agent: 'other', steps: [], methods: [] },
  ].map(
    (options): Mutant => ({
      what: `guidance that is ${JSON.stringify(options)}`,
      make: () => altered({ getAuthGuidance: () => options }),
      caughtBy: 'is explained by steps and methods',
      also: LOGIN,
    }),
  ),
  {
    what: 'guidance that throws',
    make: () =>
      altered({
        getAuthGuidance() {
          throw new Error('no');
        },
      }),
    caughtBy: 'is explained by steps and methods',
    also: LOGIN,
  },
];

export const SESSIONS: readonly Mutant[] = [
  ...[undefined, 7, 'sessions'].map(
    (options): Mutant => ({
      what: `a folder of sessions that is ${JSON.stringify(options)}`,
      make: () => altered({ sessionDir: () => options }),
      caughtBy: 'are in a known folder, or report that it is unknown',
    }),
  ),
  ...[undefined, [null], ['/invented.jsonl']].map(
    (options): Mutant => ({
      what: `a list of sessions that is ${JSON.stringify(options)}`,
      make: () => altered({ listSessionFiles: async () => options }),
      caughtBy: LISTED,
    }),
  ),
  { what: 'a list of sessions that fails', make: () => altered({ listSessionFiles: rejecting }), caughtBy: LISTED },
  {
    what: 'a list of sessions that never ends',
    make: () => altered({ listSessionFiles: never }),
    endless: true,
    caughtBy: LISTED,
  },
  {
    what: 'a list of sessions that makes its folder',
    make: () =>
      altered({
        listSessionFiles: async () => {
          mkdirSync(expandPath('~/.sound/sessions'), { recursive: true });
          return [];
        },
      }),
    caughtBy: LISTED,
  },
  { what: 'an invented session', make: () => altered({ parseSessionFile: async () => SESSION }), caughtBy: UNMADE },
  { what: 'nothing for a session', make: () => altered({ parseSessionFile: async () => undefined }), caughtBy: UNMADE },
  {
    what: 'a session that never comes',
    make: () => altered({ parseSessionFile: never }),
    endless: true,
    caughtBy: UNMADE,
  },
  ...[undefined, null, {}, [null], [{ path: 'relative', stamp: '' }], [{ path: '/invented' }]].map(
    (options): Mutant => ({
      what: `a store that finds ${JSON.stringify(options)}`,
      make: () => altered({ sessionStore: { ...STORE, find: async () => options } }),
      caughtBy: KEPT,
      also: /^its stored sessions: are none/,
    }),
  ),
  {
    what: 'a store that never finds',
    make: () => altered({ sessionStore: { ...STORE, find: never } }),
    endless: true,
    caughtBy: KEPT,
    also: /^its stored sessions: are none/,
  },
  {
    what: 'a store that fails where it cannot read',
    make: () => altered({ sessionStore: { ...STORE, find: rejecting } }),
    caughtBy: KEPT,
    also: /^its stored sessions: are none/,
  },
  {
    what: 'a store of the user of this process, whatever environment is passed',
    make: () => altered({ sessionStore: { ...STORE, root: () => '/var/lib/sound' } }),
    caughtBy: KEPT,
    also: /^its stored sessions: are removed/,
  },
  {
    what: 'a store that removes all for one',
    make: () =>
      altered({
        sessionStore: { ...STORE, remove: async () => rmSync(expandPath('~/.sound/sessions'), { recursive: true }) },
      }),
    caughtBy: 'are removed one by one: removing a missing one deletes nothing else',
  },
  {
    what: 'a store whose removal never ends',
    make: () => altered({ sessionStore: { ...STORE, remove: never } }),
    endless: true,
    caughtBy: 'are removed one by one: removing a missing one deletes nothing else',
  },
];

export const CONFIGURATION: readonly Mutant[] = [
  ...[undefined, 'model=x', { model: 7 }].map(
    (options): Mutant => ({
      what: `a configuration that is ${JSON.stringify(options)}`,
      make: () => altered({ readConfig: async () => options }),
      caughtBy: EMPTY,
      also: CONFIG,
    }),
  ),
  {
    what: 'a configuration that cannot be had',
    make: () => altered({ readConfig: rejecting }),
    caughtBy: EMPTY,
    also: CONFIG,
  },
  {
    what: 'a configuration that never comes',
    make: () => altered({ readConfig: never }),
    endless: true,
    caughtBy: EMPTY,
    also: CONFIG,
  },
  {
    what: 'a configuration that is made when it is read',
    make: () => {
      const sound = new ValidAdapter();
      return altered({
        readConfig: async (cwd?: string, env?: NodeJS.ProcessEnv) => {
          if (!existsSync(expandPath('~/.sound.lock'))) left('.sound.lock');
          return sound.readConfig(cwd, env);
        },
      });
    },
    caughtBy: EMPTY,
  },
  {
    what: 'a broken file that is taken for an empty one',
    make: () => {
      const sound = new ValidAdapter();
      return altered({
        readConfig: (cwd?: string, env?: NodeJS.ProcessEnv) => sound.readConfig(cwd, env).catch(() => ({})),
      });
    },
    caughtBy: 'does not count as empty if it cannot be read',
  },
  {
    what: 'a file that is overwritten',
    make: () =>
      altered({
        writeConfig: async ({ values }: { values?: Record<string, unknown> }) =>
          writeFileSync(expandPath('~/.sound.json'), JSON.stringify(values)),
      }),
    caughtBy: WRITTEN,
  },
  { what: 'a change that is not made', make: () => altered({ writeConfig: async () => {} }), caughtBy: WRITTEN },
  { what: 'a change that never ends', make: () => altered({ writeConfig: never }), endless: true, caughtBy: WRITTEN },
  {
    what: 'a change that returns what it has written',
    make: () => {
      const sound = new ValidAdapter();
      return altered({
        writeConfig: async (config: object, cwd?: string) => {
          await sound.writeConfig(config, cwd);
          return readFileSync(expandPath('~/.sound.json'), 'utf8').length > 0 ? dirname('/x') : '';
        },
      });
    },
    caughtBy: WRITTEN,
  },
];
