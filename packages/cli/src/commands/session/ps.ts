import { type Command, hasFlag, JSON_FLAG, stringFlag } from '../../command.ts';

export const ps: Command = {
  usage: 'amux ps [--all] [--agent NAME] [--cwd DIR]',
  description: "Lists the daemon's sessions and their state. Those that need input come first.",
  flags: {
    all: { type: 'boolean', help: 'Include ended sessions' },
    agent: { type: 'string', short: 'a', value: 'NAME', help: 'Show only sessions of this agent' },
    cwd: { type: 'string', short: 'C', value: 'DIR', help: 'Show only sessions in exactly this folder' },
    json: JSON_FLAG,
  },
  examples: [
    { command: 'amux ps', about: 'List active sessions' },
    { command: 'amux ps --all -C .', about: 'List all sessions of this folder' },
    {
      command: `amux ps --json | jq -r '.sessions[] | select(.openRequests > 0) | .id'`,
      about: 'Print the ids of sessions with open requests',
    },
  ],
  notes: [
    '◌ starting  ● working  ◆ needs input (see "amux inbox")  ▲ limited  ○ idle',
    '□ parked: the next message resumes it  ■ ended, ✗ failed: "amux restore ID" resumes it',
  ],
  maxArgs: 0,
  async run(options) {
    const { listSessions } = await import('../../daemon/list.ts');
    const agent = stringFlag(options, 'agent');
    const cwd = stringFlag(options, 'cwd');
    return listSessions(options, { all: hasFlag(options, 'all'), agent, cwd });
  },
};
