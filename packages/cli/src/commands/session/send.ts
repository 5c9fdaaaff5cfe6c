import { type Command, hasFlag, JSON_FLAG } from '../../command.ts';
import { UsageError } from '../../usage-error.ts';
import { firstWord } from './one.ts';

export const send: Command = {
  usage: 'amux send ID [flags] [--] TEXT... [< TEXT]',
  description:
    'Sends a message to a session. It is queued while a turn runs, and it wakes a parked session. A\n' +
    'message is stored before it is sent and delivered exactly once.',
  flags: {
    steer: { type: 'boolean', help: 'Send into the running turn, if the agent supports it' },
    'no-queue': { type: 'boolean', help: 'Fail instead of queueing while a turn runs' },
    file: { type: 'string', short: 'f', value: 'FILE', help: 'Read the text from a file; - for stdin' },
    'no-stdin': { type: 'boolean', help: 'Do not read stdin' },
    attach: { type: 'string', multiple: true, value: 'PATH', help: 'Attach a file or image' },
    env: {
      type: 'string',
      multiple: true,
      value: 'K=V',
      help: 'Set a variable the session needs to resume; K alone passes yours',
    },
    id: { type: 'string', value: 'ID', help: 'Message id; sending the same id again has no effect' },
    json: { ...JSON_FLAG, help: 'Print the message' },
  },
  examples: [
    { command: 'amux send 3f2a "and now the tests"', about: 'Send a message for the next turn' },
    { command: 'amux send 3f2a --steer "not that file"', about: 'Steer the running turn' },
    { command: 'npm test 2>&1 | amux send 3f2a "fix this"', about: 'Include piped input' },
    { command: 'amux send 3f2a --attach screen.png "it looks like this"', about: 'Attach an image' },
  ],
  maxArgs: Number.POSITIVE_INFINITY,
  async run(options) {
    const id = firstWord(options, 'send');
    if (hasFlag(options, 'steer') && hasFlag(options, 'no-queue'))
      throw new UsageError('--steer and --no-queue are mutually exclusive');
    const { sendMessage } = await import('../../daemon/send.ts');
    return sendMessage(options, id);
  },
};
