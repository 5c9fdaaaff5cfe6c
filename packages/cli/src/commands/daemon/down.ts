import { type Command, isOn, JSON_FLAG } from '../../command.ts';

export const down: Command = {
  usage: 'amux down [--stop]',
  about:
    'Ends the daemon. Sessions that are at work go on without it, each in a process of its own, and the next daemon finds\n' +
    'them again with all that has happened meanwhile.',
  flags: {
    stop: { type: 'boolean', help: 'End the sessions first; amux restore brings each back.' },
    json: JSON_FLAG,
  },
  examples: [
    { command: 'amux down', about: 'agents work on' },
    { command: 'amux down --stop', about: 'nothing is left running' },
  ],
  maxWords: 0,
  async run(given) {
    const { goDown } = await import('../../daemon/down.ts');
    return goDown({ stop: isOn(given, 'stop'), json: isOn(given, 'json') });
  },
};
