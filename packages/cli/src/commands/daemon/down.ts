import { type Command, hasFlag, JSON_FLAG } from '../../command.ts';

export const down: Command = {
  usage: 'amux down [--stop-sessions]',
  description: 'Stops the daemon. Sessions keep running, and the next daemon reconnects to them.',
  flags: {
    'stop-sessions': { type: 'boolean', help: 'Stop all sessions first; "amux restore" resumes them' },
    json: JSON_FLAG,
  },
  examples: [
    { command: 'amux down', about: 'Stop the daemon only' },
    { command: 'amux down --stop-sessions', about: 'Stop the daemon and all sessions' },
  ],
  maxArgs: 0,
  async run(options) {
    const { runDown } = await import('../../daemon/down.ts');
    return runDown({ stop: hasFlag(options, 'stop-sessions'), json: hasFlag(options, 'json') });
  },
};
