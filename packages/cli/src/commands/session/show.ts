import { type Command, JSON_FLAG } from '../../command.ts';
import { firstWord } from './one.ts';

export const show: Command = {
  usage: 'amux show ID',
  about: 'A session in detail: what it is, what it is doing, what it waits for, and which messages wait for it.',
  flags: { json: { ...JSON_FLAG, help: 'Print the session.' } },
  examples: [
    { command: 'amux show 3f2a', about: 'a beginning of the id is enough' },
    { command: 'amux show 3f2a --json | jq -r .nativeId', about: "the agent's own id of it" },
  ],
  notes: ['What was said: amux attach ID shows it, amux events ID has every event.'],
  maxWords: 1,
  async run(given) {
    const { showSession } = await import('../../daemon/show.ts');
    return showSession(given, firstWord(given, 'show'));
  },
};
