import type { FlagTable } from '../command.ts';
import { RUN_FLAGS } from '../run/flags.ts';

/** Flags of `amux run` that mean nothing to a session that stays: it is shown elsewhere, and kept in any case. */
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

const left = new Set<string>([...NOT_DETACHED, 'detach']);

/** The others, and those of a session alone. */
export const NEW_FLAGS: FlagTable = {
  ...Object.fromEntries(Object.entries(RUN_FLAGS).filter(([name]) => !left.has(name))),
  terminal: {
    type: 'boolean',
    help: "The agent's own screen, in a terminal that the daemon holds; amux attach shows it.",
  },
  json: { type: 'boolean', help: 'Print the session.' },
};
