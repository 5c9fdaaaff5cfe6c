import type { Flag, FlagTable } from '../command.ts';
import { RUN_FLAGS } from '../run/flags.ts';

/** Flags of `amux run` without meaning for a background session, which is displayed by other commands and always stored. */
export const NOT_DETACHED = [
  'quiet',
  'interactive',
  'resume',
  'continue',
  'fork',
  'no-session',
  'run-id',
  'trace',
  'raw',
  'debug',
] as const satisfies readonly (keyof typeof RUN_FLAGS)[];

const excluded = new Set<string>([...NOT_DETACHED, 'detach']);

/** The other flags of `amux run`, and those of background sessions. */
export const NEW_FLAGS: FlagTable = {
  ...Object.fromEntries(
    Object.entries<Flag>(RUN_FLAGS)
      .filter(([name]) => !excluded.has(name))
      .map(([name, flag]) => [name, { ...flag, help: flag.help.replace(' (with --detach)', '') }]),
  ),
  terminal: {
    type: 'boolean',
    help: "Run the agent's own terminal UI, hosted by the daemon",
  },
  json: { type: 'boolean', help: 'Print the session' },
};
