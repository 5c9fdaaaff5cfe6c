import { type Command, hasFlag, JSON_FLAG } from '../../command.ts';
import { firstWord } from './one.ts';

export const attach: Command = {
  usage: 'amux attach ID [--all]',
  description:
    "Shows a session's conversation so far, then follows it. Answer requests and type messages in\n" +
    'place. Detaching does not stop the session.',
  flags: {
    all: { type: 'boolean', help: 'Show the conversation from the start' },
    json: { ...JSON_FLAG, help: 'Print events, like "amux events --follow --json"' },
  },
  examples: [
    { command: 'amux attach 3f2a', about: 'Attach to a session; Ctrl-D detaches' },
    { command: 'amux attach $(amux new -a demo "write hello.txt")', about: 'Start a session and attach to it' },
  ],
  notes: [
    'Ctrl-C interrupts a running turn, and detaches if none is running; Ctrl-D and /leave detach at',
    'once. A message sent during a turn steers the agent if it supports that; otherwise it is queued.',
    "/help lists the keys. A terminal session (amux new --terminal) shows the agent's screen: every",
    'key goes to the agent; Ctrl-] detaches.',
  ],
  maxArgs: 1,
  async run(options) {
    const id = firstWord(options, 'attach');
    if (hasFlag(options, 'json')) {
      const { printEvents } = await import('../../daemon/events.ts');
      return printEvents({ ...options, flags: { json: true, follow: true } }, id);
    }
    const { attachSession } = await import('../../attach/attach.ts');
    return attachSession(options, id);
  },
};
