import { hostname } from 'node:os';
import { altered, launching, type Sabotage } from './sabotage.ts';

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
    caughtBy: 'asks nothing of the machine but the variables that are its own',
  },
  {
    what: 'a launch that tells the name of the machine',
    make: () => launching((spawn) => ({ ...spawn, args: [...spawn.args, `--host=${hostname()}`] })),
    caughtBy: 'asks nothing of the machine but the variables that are its own',
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
