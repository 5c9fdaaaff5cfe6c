import type { Message } from '@agent-mux/api';
import { type Given, isOn, listFlag, textFlag } from '../command.ts';
import { print, printJson } from '../output.ts';
import { promptOf } from '../run/prompt.ts';
import { readVariable } from '../run/variables.ts';
import { UsageError } from '../usage-error.ts';
import { withDaemon } from './open.ts';
import { uploadFiles } from './upload.ts';

export async function sendMessage(given: Given, id: string): Promise<number> {
  const text = await promptOf({ ...given, words: given.words.slice(1) }, false);
  const paths = listFlag(given, 'attach');
  if (text.trim() === '' && paths.length === 0) {
    throw new UsageError('there is nothing to send', `amux send ${id} "...", or --file FILE, or pipe it in`);
  }
  const variables = listFlag(given, 'env').map((entry) => readVariable('--env', entry));
  const own = textFlag(given, 'id');
  return withDaemon(async (daemon) => {
    const files = await uploadFiles(daemon, paths);
    const message = await daemon.sessions.send(id, {
      text,
      files,
      mode: isOn(given, 'steer') ? 'steer' : isOn(given, 'now') ? 'reject' : 'queue',
      ...(own === undefined ? {} : { id: own }),
      ...(variables.length === 0 ? {} : { env: Object.fromEntries(variables) }),
    });
    if (isOn(given, 'json')) return printJson<'send'>(message);
    return print(whatBecame(message, id));
  });
}

function whatBecame({ state, mode, error }: Message, id: string): string {
  if (state === 'failed') return `It could not be sent: ${error?.message ?? 'the agent did not take it'}`;
  if (state === 'queued') return `It waits for its turn. amux attach ${id} shows the session.`;
  return mode === 'steer'
    ? 'The agent has it, within its turn.'
    : `The agent has it. amux attach ${id} shows what it does.`;
}
