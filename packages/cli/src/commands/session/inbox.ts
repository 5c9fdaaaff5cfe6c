import { type Command, JSON_FLAG } from '../../command.ts';

export const inbox: Command = {
  usage: 'amux inbox',
  description:
    'Lists everything that needs you: open requests with full details and the commands to answer\n' +
    'them, paused sessions, and failures.',
  flags: { json: JSON_FLAG },
  examples: [
    { command: 'amux inbox', about: 'List everything that needs you' },
    { command: `amux inbox --json | jq -r '.requests[].id'`, about: 'Print the ids of open requests' },
  ],
  maxArgs: 0,
  async run(options) {
    const { showInbox } = await import('../../requests/inbox.ts');
    return showInbox(options);
  },
};
