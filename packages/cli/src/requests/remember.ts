import type { Remember } from '@agent-mux/api';
import { type FlagTable, type Given, textFlag } from '../command.ts';
import { UsageError } from '../usage-error.ts';

const SCOPES: readonly Remember['scope'][] = ['session', 'project', 'everywhere'];

export const REMEMBER_FLAGS: FlagTable = {
  remember: {
    type: 'string',
    value: 'WHERE',
    values: SCOPES,
    help: 'Answer the same way the next time: in this session, in this project, or everywhere.',
  },
  pattern: {
    type: 'string',
    value: 'P',
    help: 'With --remember: whatever looks like this, * for any characters, instead of exactly this.',
  },
};

export function readRemember(given: Given): Remember | undefined {
  const word = textFlag(given, 'remember');
  const pattern = textFlag(given, 'pattern');
  if (word === undefined) {
    if (pattern !== undefined) throw new UsageError('--pattern needs --remember', 'such as --remember project');
    return undefined;
  }
  const scope = SCOPES.find((one) => one === word);
  if (!scope) throw new UsageError(`--remember does not know "${word}"`, `say one of ${SCOPES.join(', ')}`);
  return { scope, ...(pattern === undefined ? {} : { pattern }) };
}
