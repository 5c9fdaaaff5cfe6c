import { type Command, JSON_FLAG } from '../../command.ts';
import { firstWord } from './one.ts';

export const events: Command = {
  usage: 'amux events ID [--after N] [--follow | --until-exit]',
  description:
    "Prints a session's events in order: those of its runs, and the messages sent to it. With --json,\n" +
    'one event per line, as "amux run --json" prints them. seq numbers are consecutive over the whole\n' +
    'session.',
  flags: {
    after: { type: 'string', value: 'N', help: 'Start after this sequence number (default -1: all events)' },
    follow: { type: 'boolean', short: 'f', help: 'Follow new events until Ctrl-C' },
    'until-exit': { type: 'boolean', help: 'Follow until the process exits; run_result is the last line' },
    json: { ...JSON_FLAG, help: 'Print one event per line' },
  },
  examples: [
    { command: 'amux events 3f2a', about: 'Print all events, one line each' },
    { command: 'amux events 3f2a --after 118 --follow --json', about: 'Resume reading at a known position' },
    { command: `amux events 3f2a --json | jq -r 'select(.type=="text_delta").delta'`, about: "Print the agent's text" },
  ],
  maxArgs: 1,
  async run(options) {
    const { printEvents } = await import('../../daemon/events.ts');
    return printEvents(options, firstWord(options, 'events'));
  },
};
