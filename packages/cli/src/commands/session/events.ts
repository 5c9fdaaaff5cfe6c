import { type Command, JSON_FLAG } from '../../command.ts';
import { firstWord } from './one.ts';

export const events: Command = {
  usage: 'amux events ID [--after N] [--follow]',
  about:
    'All that has happened in a session, in order: the events of its runs, and what was said to it. With --json each line\n' +
    'is an event as amux run --json prints it; seq is dense over the whole session, whatever processes came and went.',
  flags: {
    after: { type: 'string', value: 'N', help: 'Only those after this seq; -1, the default, is all.' },
    follow: { type: 'boolean', short: 'f', help: 'Go on with what happens from now on, until Ctrl-C.' },
    'until-end': { type: 'boolean', help: 'The same, until its process has ended: run_result is the last line.' },
    json: { ...JSON_FLAG, help: 'Print one event per line.' },
  },
  examples: [
    { command: 'amux events 3f2a', about: 'what has happened, a line each' },
    { command: 'amux events 3f2a --after 118 --follow --json', about: 'go on where another reader ended' },
    { command: `amux events 3f2a --json | jq -r 'select(.type=="text_delta").delta'`, about: 'what it said' },
  ],
  maxWords: 1,
  async run(given) {
    const { printEvents } = await import('../../daemon/events.ts');
    return printEvents(given, firstWord(given, 'events'));
  },
};
