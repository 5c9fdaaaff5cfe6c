import { type Command, isOn, JSON_FLAG, textFlag } from '../../command.ts';

export const ps: Command = {
  usage: 'amux ps [--all] [--agent NAME] [--cwd DIR]',
  about: 'The sessions of the daemon: what each is doing, and which of them waits for you. Those come first.',
  flags: {
    all: { type: 'boolean', help: 'Also those that have ended.' },
    agent: { type: 'string', short: 'a', value: 'NAME', help: 'Only those of this agent.' },
    cwd: { type: 'string', short: 'C', value: 'DIR', help: 'Only those that work in this very folder.' },
    json: JSON_FLAG,
  },
  examples: [
    { command: 'amux ps', about: 'what is at work, and what waits for you' },
    { command: 'amux ps --all -C .', about: 'all that were held in this folder' },
    { command: `amux ps --json | jq -r '.sessions[] | select(.openRequests > 0) | .id'`, about: 'for a program' },
  ],
  notes: [
    '◌ starting  ● working  ◆ asks: it waits for your answer (amux inbox)  ▲ limited: a usage limit  ○ idle',
    '□ parked: no process, the next message brings it back  ■ ended  ✗ failed: amux restore ID brings them back',
  ],
  maxWords: 0,
  async run(given) {
    const { listSessions } = await import('../../daemon/list.ts');
    const agent = textFlag(given, 'agent');
    const cwd = textFlag(given, 'cwd');
    return listSessions(given, { all: isOn(given, 'all'), agent, cwd });
  },
};
