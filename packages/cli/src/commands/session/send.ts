import { type Command, isOn, JSON_FLAG } from '../../command.ts';
import { UsageError } from '../../usage-error.ts';
import { firstWord } from './one.ts';

export const send: Command = {
  usage: 'amux send ID [flags] [--] TEXT... [< TEXT]',
  about:
    'Says something to a session. While a turn runs it waits for its end; a session that is parked comes back for it. A\n' +
    'message is kept before it is sent, and reaches the agent once.',
  flags: {
    steer: { type: 'boolean', help: 'Into the turn that runs, where the agent can take it.' },
    now: { type: 'boolean', help: 'Now or not at all: refused while a turn runs.' },
    file: { type: 'string', short: 'f', value: 'FILE', help: 'Read the text from a file; - is stdin.' },
    'no-stdin': { type: 'boolean', help: 'Leave stdin alone: what is piped in is no part of the text.' },
    attach: { type: 'string', multiple: true, value: 'PATH', help: 'Send a file or an image along.' },
    env: {
      type: 'string',
      multiple: true,
      value: 'K=V',
      help: 'A variable that the session needs to come back; K alone passes yours on.',
    },
    id: { type: 'string', value: 'ID', help: 'An id of your own: the same one again changes nothing.' },
    json: { ...JSON_FLAG, help: 'Print the message.' },
  },
  examples: [
    { command: 'amux send 3f2a "and now the tests"', about: 'the next turn, or the one after this' },
    { command: 'amux send 3f2a --steer "not that file"', about: 'into the turn that runs' },
    { command: 'npm test 2>&1 | amux send 3f2a "mend this"', about: 'with what is piped in' },
    { command: 'amux send 3f2a --attach screen.png "it looks like this"', about: 'with a picture' },
  ],
  maxWords: Number.POSITIVE_INFINITY,
  async run(given) {
    const id = firstWord(given, 'send');
    if (isOn(given, 'steer') && isOn(given, 'now'))
      throw new UsageError('--steer contradicts --now', 'give one of them');
    const { sendMessage } = await import('../../daemon/send.ts');
    return sendMessage(given, id);
  },
};
