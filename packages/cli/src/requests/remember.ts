import type { Remember } from '@agent-mux/api';
import { type FlagTable, type ParsedArgs, stringFlag } from '../command.ts';
import { UsageError } from '../usage-error.ts';

const SCOPES: readonly Remember['scope'][] = ['session', 'project', 'global'];

export const REMEMBER_FLAGS: FlagTable = {
  remember: {
    type: 'string',
    value: 'SCOPE',
    values: SCOPES,
    help: 'Remember the answer for: session, project or global',
  },
  pattern: {
    type: 'string',
    value: 'P',
    help: 'Remember it for all matches; * matches any characters (with --remember)',
  },
};

export function readRemember(args: ParsedArgs): Remember | undefined {
  const word = stringFlag(args, 'remember');
  const pattern = stringFlag(args, 'pattern');
  if (word === undefined) {
    if (pattern !== undefined) throw new UsageError('--pattern requires --remember', 'for example --remember project');
    return undefined;
  }
  const scope = SCOPES.find((one) => one === word);
  if (!scope) throw new UsageError(`--remember: invalid scope "${word}"`, `use one of ${SCOPES.join(', ')}`);
  return { scope, ...(pattern === undefined ? {} : { pattern }) };
}
