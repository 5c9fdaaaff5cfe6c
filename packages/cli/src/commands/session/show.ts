import { type Command, JSON_FLAG } from '../../command.ts';
import { firstWord } from './one.ts';

export const show: Command = {
  usage: 'amux show ID',
  description: "Shows a session's state, settings, usage, open requests and queued messages.",
  flags: { json: { ...JSON_FLAG, help: 'Print the session' } },
  examples: [
    { command: 'amux show 3f2a', about: 'Show a session by a unique id prefix' },
    { command: 'amux show 3f2a --json | jq -r .agentSessionId', about: "Print the agent's session id" },
  ],
  notes: ['Use "amux attach ID" for the conversation and "amux events ID" for all events.'],
  maxArgs: 1,
  async run(options) {
    const { showSession } = await import('../../daemon/show.ts');
    return showSession(options, firstWord(options, 'show'));
  },
};
