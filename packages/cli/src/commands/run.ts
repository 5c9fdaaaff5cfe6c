import type { Command } from '../command.ts';
import { RUN_FLAGS } from '../run/flags.ts';

export const run: Command = {
  usage: 'amux run -a AGENT [flags] [--] PROMPT... [< TEXT]',
  about:
    'Gives an agent a prompt and shows what it does. The answer goes to stdout, everything else (tools, thoughts,\n' +
    'questions, the closing line) to stderr. What the agent must not do unasked is asked on the terminal.',
  flags: RUN_FLAGS,
  examples: [
    { command: 'amux run -a demo "write hello.txt"', about: 'needs no account: a scripted agent that asks first' },
    { command: 'amux run -a claude -C ~/src/app "why does the build fail?"', about: 'in another folder' },
    { command: 'git diff | amux run -a claude --approval-mode deny "review this"', about: 'with what is piped in' },
    { command: 'amux run --continue "and now the tests"', about: 'go on with the newest session of this folder' },
    { command: 'amux run --resume 5c1d "and now the tests"', about: 'go on with a session; its agent is found' },
    { command: 'amux run -a claude -i', about: 'a conversation' },
    { command: 'amux run -a claude --on ssh://me@box/srv/app --env ANTHROPIC_API_KEY "hi"', about: 'on another host' },
    { command: `amux run -a demo --json "hi" | jq -r 'select(.type=="run_result").text'`, about: 'for a program' },
    { command: 'amux run -a claude --timeout 5m --retries 2 --file task.md > answer.md', about: 'in a script' },
    { command: 'amux run -a demo -- "-5 degrees, what to wear?"', about: 'a prompt that begins with a dash' },
  ],
  notes: [
    'Ctrl-C once interrupts the turn, twice aborts the run. At an approval: y, n, a (always, where the agent offers',
    'it), p (exactly this again in this project: amux policy lists it); behind n you may say why. Without a terminal',
    'everything that would be asked is denied at once (exit code 7).',
    'Paths are seen from the current folder. With --json a failure before the run is one line {"type":"error",...}.',
    'Exit codes: amux help.',
  ],
  maxWords: Number.POSITIVE_INFINITY,
  async run(given) {
    const { runAgent } = await import('../run/run-agent.ts');
    return runAgent(given);
  },
};
