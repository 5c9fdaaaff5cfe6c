import type { Command } from '../command.ts';
import { RUN_FLAGS } from '../run/flags.ts';

export const run: Command = {
  usage: 'amux run -a AGENT [flags] [--] PROMPT... [< TEXT]',
  description:
    'Runs an agent with a prompt and streams its answer to stdout; everything else goes to stderr.\n' +
    'Asks on the terminal before the agent does anything that needs approval.',
  flags: RUN_FLAGS,
  examples: [
    { command: 'amux run -a demo "write hello.txt"', about: 'Try the scripted demo agent; needs no account' },
    { command: 'amux run -a claude -C ~/src/app "why does the build fail?"', about: 'Run in another folder' },
    { command: 'git diff | amux run -a claude --approval-mode deny "review this"', about: 'Include piped input' },
    { command: 'amux run --continue "and now the tests"', about: 'Resume the latest session in this folder' },
    { command: 'amux run --resume 5c1d "and now the tests"', about: 'Resume a session; the agent is detected' },
    { command: 'amux run -a claude -i', about: 'Start an interactive conversation' },
    {
      command: 'amux run -a claude --on ssh://me@box/srv/app --env ANTHROPIC_API_KEY "hi"',
      about: 'Run on a remote host',
    },
    {
      command: `amux run -a demo --json "hi" | jq -r 'select(.type=="run_result").text'`,
      about: 'Process the result in a script',
    },
    { command: 'amux run -a claude --timeout 5m --retries 2 --file task.md > answer.md', about: 'Run unattended' },
    { command: 'amux run -a demo -- "-5 degrees, what to wear?"', about: 'Use a prompt that starts with a dash' },
  ],
  notes: [
    'Ctrl-C once interrupts the turn, twice aborts the run. Approvals: y, n, a (always, if the agent',
    'offers it) or p (remember for this project; see "amux policy"); add a reason after n. Without a',
    'terminal, requests are denied at once (exit code 7). Paths are relative to the current folder.',
    'With --json, a failure before the run is one line {"type":"error",...}. Run "amux help" for exit',
    'codes.',
  ],
  maxArgs: Number.POSITIVE_INFINITY,
  async run(options) {
    const { runAgent } = await import('../run/run-agent.ts');
    return runAgent(options);
  },
};
