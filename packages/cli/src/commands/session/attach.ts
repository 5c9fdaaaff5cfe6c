import { type Command, isOn, JSON_FLAG } from '../../command.ts';
import { firstWord } from './one.ts';

export const attach: Command = {
  usage: 'amux attach ID [--all]',
  about:
    'Shows a session as amux run shows a run: the conversation so far, then what happens. Questions are answered in place,\n' +
    'and what is typed is sent. Leaving leaves the session alone.',
  flags: {
    all: { type: 'boolean', help: 'From the very beginning, however long it is.' },
    json: { ...JSON_FLAG, help: 'Print events, as amux events --follow --json does.' },
  },
  examples: [
    { command: 'amux attach 3f2a', about: 'look at it, talk to it; Ctrl-D leaves' },
    { command: 'amux attach $(amux new -a demo "write hello.txt")', about: 'begin one and look at it' },
  ],
  notes: [
    'Ctrl-C interrupts a turn that runs, and leaves where none does; Ctrl-D and /leave leave at once. What is sent while the',
    'agent works reaches it at once where it can be steered, else after the turn. /help tells the keys.',
    'A session in a terminal (amux new --terminal) is its screen: every key goes to the agent, and Ctrl-] leaves.',
  ],
  maxWords: 1,
  async run(given) {
    const id = firstWord(given, 'attach');
    if (isOn(given, 'json')) {
      const { printEvents } = await import('../../daemon/events.ts');
      return printEvents({ ...given, flags: { json: true, follow: true } }, id);
    }
    const { attachSession } = await import('../../attach/attach.ts');
    return attachSession(given, id);
  },
};
