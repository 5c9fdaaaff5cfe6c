import type { Command } from '../../command.ts';
import { NEW_FLAGS } from '../../daemon/new-flags.ts';

export const newSession: Command = {
  usage: 'amux new -a AGENT [flags] [--] [PROMPT...] [< TEXT]',
  about:
    'Begins a session that stays: it goes on when this terminal is closed, and can be watched, answered and talked to from\n' +
    'anywhere on this machine. Prints its id. Without a prompt it waits for one.',
  flags: NEW_FLAGS,
  examples: [
    {
      command: 'amux new -a claude "why does the build fail?"',
      about: 'give it something to do, and go on with your work',
    },
    { command: 'amux new -a codex --worktree --title "new parser" -f task.md', about: 'on a branch of its own' },
    { command: 'amux attach $(amux new -a demo "write hello.txt")', about: 'begin it and look at it' },
    { command: 'amux new -a claude --approval-mode accept-edits -C ~/src/app "mend the tests"', about: 'elsewhere' },
    { command: 'amux attach $(amux new -a claude --terminal)', about: "the agent's own screen, which stays too" },
    { command: 'amux new -a demo --json "hi" | jq -r .id', about: 'for a program' },
  ],
  notes: [
    'The agent gets the variables that amux run would give it, from this shell. Their values are not stored: where a session',
    'needs one to come back, amux restore ID --env NAME hands it over. The flags are those of amux run.',
  ],
  maxWords: Number.POSITIVE_INFINITY,
  async run(given) {
    const { beginSession } = await import('../../daemon/new.ts');
    return beginSession(given);
  },
};
