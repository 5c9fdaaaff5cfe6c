import type { Command } from '../../command.ts';
import { NEW_FLAGS } from '../../daemon/new-flags.ts';

export const newSession: Command = {
  usage: 'amux new -a AGENT [flags] [--] [PROMPT...] [< TEXT]',
  description:
    'Starts a background session and prints its id. It keeps running after this terminal closes;\n' +
    'attach to it or send it messages from any terminal. Without a prompt it waits for one.',
  flags: NEW_FLAGS,
  examples: [
    {
      command: 'amux new -a claude "why does the build fail?"',
      about: 'Start a task in the background',
    },
    {
      command: 'amux new -a codex --worktree --title "new parser" -f task.md',
      about: 'Work in a new worktree and branch',
    },
    { command: 'amux attach $(amux new -a demo "write hello.txt")', about: 'Start a session and attach to it' },
    {
      command: 'amux new -a claude --approval-mode accept-edits -C ~/src/app "fix the tests"',
      about: 'Work in another folder',
    },
    { command: 'amux attach $(amux new -a claude --terminal)', about: "Use the agent's own terminal UI" },
    { command: 'amux new -a demo --json "hi" | jq -r .id', about: 'Print the session as JSON' },
  ],
  notes: [
    'The agent gets the same environment variables as with "amux run", from this shell. Their values',
    'are not stored: if a session needs one after a restart, pass it with "amux restore ID --env',
    'NAME". The flags are those of "amux run".',
  ],
  maxArgs: Number.POSITIVE_INFINITY,
  async run(options) {
    const { startSession } = await import('../../daemon/new.ts');
    return startSession(options);
  },
};
