import type { Command } from './command.ts';

/** Lets the subcommand be omitted: `amux auth claude` means `amux auth status claude`. */
export function withDefaultSubcommand(command: Command, implied: string, usage: string): Command {
  const { actions = {} } = command;
  return {
    ...command,
    usage,
    run(args) {
      const [first] = args.positionals;
      const positionals =
        first !== undefined && Object.hasOwn(actions, first) ? args.positionals : [implied, ...args.positionals];
      return command.run({ ...args, positionals });
    },
  };
}
