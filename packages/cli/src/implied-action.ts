import type { Command } from './command.ts';

/** `amux auth claude` means `amux auth status claude`: a first word that is no action belongs to this one. */
export function withImpliedAction(command: Command, implied: string, usage: string): Command {
  const { actions = {} } = command;
  return {
    ...command,
    usage,
    run(given) {
      const [first] = given.words;
      const words = first !== undefined && Object.hasOwn(actions, first) ? given.words : [implied, ...given.words];
      return command.run({ ...given, words });
    },
  };
}
