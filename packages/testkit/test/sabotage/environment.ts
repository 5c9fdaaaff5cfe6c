import { hostname, tmpdir } from 'node:os';
import { altered, launching, type Sabotage } from './sabotage.ts';

const ASKS = 'asks nothing of the machine, and its environment is what it is handed';

export const ENVIRONMENT: readonly Sabotage[] = [
  {
    what: 'all of the environment for the agent',
    make: () => launching((spawn) => ({ ...spawn, env: { ...process.env } })),
    caughtBy: "carries nothing of the host's environment",
    also: /asks nothing of the machine/,
  },
  {
    what: "the host's token in a helper file",
    make: () => launching((spawn) => ({ ...spawn, files: { ...spawn.files, token: process.env.GITHUB_TOKEN ?? '' } })),
    caughtBy: "carries nothing of the host's environment",
    also: /asks nothing of the machine/,
  },
  {
    what: "the host's key on stdin",
    make: () =>
      launching((spawn) => ({ ...spawn, stdin: `${process.env.AWS_SECRET_ACCESS_KEY ?? ''}${spawn.stdin ?? ''}` })),
    caughtBy: "carries nothing of the host's environment",
    also: /asks nothing of the machine/,
  },
  {
    what: 'a launch that follows a variable of somebody else',
    make: () => launching((spawn) => ({ ...spawn, args: [...spawn.args, process.env.CI ? '--ci' : '--no-ci'] })),
    caughtBy: ASKS,
  },
  {
    what: 'a launch that looks for a variable of its own where it was not handed any',
    make: () =>
      launching((spawn) => ({ ...spawn, args: [...spawn.args, process.env.SOUND_MODE ? '--mode' : '--no-mode'] })),
    caughtBy: ASKS,
  },
  {
    what: 'a launch in the temporary folder of this machine',
    make: () => launching((spawn) => ({ ...spawn, env: { ...spawn.env, SOUND_TEMP: tmpdir() } })),
    caughtBy: ASKS,
  },
  {
    what: 'a launch that tells the name of the machine',
    make: () => launching((spawn) => ({ ...spawn, args: [...spawn.args, `--host=${hostname()}`] })),
    caughtBy: ASKS,
  },
  ...['A*', '*KEY', 'S_*', 'AWS_*', 'GITHUB_*', 'NODE_*', 'LD_*', 'a b'].map(
    (pattern): Sabotage => ({
      what: `an allow-list with ${pattern}`,
      make: () => altered({ envAllowList: ['SOUND_*', pattern] }),
      caughtBy: 'lets variables pass by their names, or by a prefix that is its own',
    }),
  ),
  {
    what: 'an allow-list with *',
    make: () => altered({ envAllowList: ['SOUND_*', '*'] }),
    caughtBy: 'lets variables pass by their names, or by a prefix that is its own',
    also: /^its identity: |before anything is spawned|^its health|^a run: /,
  },
  {
    what: 'an allow-list that lets code pass',
    make: () => altered({ envAllowList: ['SOUND_*', 'NODE_OPTIONS'] }),
    caughtBy: 'lets variables pass by their names, or by a prefix that is its own',
  },
  ...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'LC_ALL', '*'].map(
    (signal): Sabotage => ({
      what: `${signal} as the mark of a host`,
      make: () => altered({ hostEnvSignals: [signal] }),
      caughtBy: 'is recognised by variables of its own, and by none that everybody has',
    }),
  ),
];
