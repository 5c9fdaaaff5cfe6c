import type { Message } from '@agent-mux/api';
import { hasFlag, listFlag, type ParsedArgs, stringFlag } from '../command.ts';
import { print, printJson } from '../output.ts';
import { promptOf } from '../run/prompt.ts';
import { readVariable } from '../run/variables.ts';
import { UsageError } from '../usage-error.ts';
import { withDaemon } from './open.ts';
import { uploadFiles } from './upload.ts';

export async function sendMessage(args: ParsedArgs, id: string): Promise<number> {
  const text = await promptOf({ ...args, positionals: args.positionals.slice(1) }, false);
  const paths = listFlag(args, 'attach');
  if (text.trim() === '' && paths.length === 0) {
    throw new UsageError('the message is empty', `run "amux send ${id} TEXT", use --file FILE, or pipe it in`);
  }
  const variables = listFlag(args, 'env').map((entry) => readVariable('--env', entry));
  const own = stringFlag(args, 'id');
  return withDaemon(async (daemon) => {
    const files = await uploadFiles(daemon, paths);
    const message = await daemon.sessions.send(id, {
      text,
      files,
      mode: hasFlag(args, 'steer') ? 'steer' : hasFlag(args, 'no-queue') ? 'reject' : 'queue',
      ...(own === undefined ? {} : { id: own }),
      ...(variables.length === 0 ? {} : { env: Object.fromEntries(variables) }),
    });
    if (hasFlag(args, 'json')) return printJson<'send'>(message);
    return print(whatBecame(message, id));
  });
}

function whatBecame({ state, mode, error }: Message, id: string): string {
  if (state === 'failed') return `Not sent: ${error?.message ?? 'the agent rejected it'}`;
  if (state === 'queued') return `Queued. Run "amux attach ${id}" to follow the session.`;
  return mode === 'steer'
    ? 'Delivered to the running turn.'
    : `Delivered. Run "amux attach ${id}" to follow the session.`;
}
