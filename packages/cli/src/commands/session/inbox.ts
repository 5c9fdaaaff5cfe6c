import { type Command, JSON_FLAG } from '../../command.ts';

export const inbox: Command = {
  usage: 'amux inbox',
  about:
    'All that waits for you, over all sessions: what agents ask for, whole, with the commands that answer; sessions that a\n' +
    'limit has stopped, and those that have failed.',
  flags: { json: JSON_FLAG },
  examples: [
    { command: 'amux inbox', about: 'what waits for me?' },
    { command: `amux inbox --json | jq -r '.requests[].id'`, about: 'for a program' },
  ],
  maxWords: 0,
  async run(given) {
    const { showInbox } = await import('../../requests/inbox.ts');
    return showInbox(given);
  },
};
