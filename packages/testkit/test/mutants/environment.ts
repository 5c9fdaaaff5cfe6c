import { hostname, tmpdir } from 'node:os';
import { altered, launching, type Mutant } from './mutant.ts';

const ASKS = 'does not access the machine and uses only the given environment';

export const ENVIRONMENT: readonly Mutant[] = [
  {
    what: 'all of the environment for the agent',
    make: () => launching((spawn) => ({ ...spawn, env: { ...process.env } })),
    caughtBy: "carries nothing of the host's environment",
    also: /does not access the machine/,
  },
  {
    what: "the host's token in a helper file",
    make: () => launching((spawn) => ({ ...spawn, files: { ...spawn.files, token: process.env.GITHUB_TOKEN ?? '' } })),
    caughtBy: "carries nothing of the host's environment",
    also: /does not access the machine/,
  },
  {
    what: "the host's key on stdin",
    make: () =>
      launching((spawn) => ({ ...spawn, stdin: `${process.env.AWS_SECRET_ACCESS_KEY ?? ''}${spawn.stdin ?? ''}` })),
    caughtBy: "carries nothing of the host's environment",
    also: /does not access the machine/,
  },
  {
    what: 'a launch that uses a foreign variable',
    make: () => launching((spawn) => ({ ...spawn, args: [...spawn.args, process.env.CI ? '--ci' : '--no-ci'] })),
    caughtBy: ASKS,
  },
  {
    what: 'a launch that reads its own variable from the process',
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
    what: 'a launch that contains the name of the machine',
    make: () => launching((spawn) => ({ ...spawn, args: [...spawn.args, `--host=${hostname()}`] })),
    caughtBy: ASKS,
  },
  ...['A*', '*KEY', 'S_*', 'AWS_*', 'GITHUB_*', 'NODE_*', 'LD_*', 'a b'].map(
    (pattern): Mutant => ({
      what: `an allow-list with ${pattern}`,
      make: () => altered({ envAllowList: ['SOUND_*', pattern] }),
      caughtBy: 'passes variables by name, or by its own prefix',
    }),
  ),
  {
    what: 'an allow-list with *',
    make: () => altered({ envAllowList: ['SOUND_*', '*'] }),
    caughtBy: 'passes variables by name, or by its own prefix',
    also: /^its identity: |before anything is spawned|^its health|^a run: /,
  },
  {
    what: 'an allow-list that lets code pass',
    make: () => altered({ envAllowList: ['SOUND_*', 'NODE_OPTIONS'] }),
    caughtBy: 'passes variables by name, or by its own prefix',
  },
  ...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'LC_ALL', '*'].map(
    (signal): Mutant => ({
      what: `${signal} as the mark of a host`,
      make: () => altered({ hostEnvSignals: [signal] }),
      caughtBy: 'is detected by its own variables, not by common ones',
    }),
  ),
];
