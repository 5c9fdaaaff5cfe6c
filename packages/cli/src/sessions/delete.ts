import type { SessionSummary } from '@agent-mux/core';
import { type Given, isOn } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withClient } from '../open-client.ts';
import { print, printJson, tell } from '../output.ts';
import { openTerminal } from '../run/terminal/terminal.ts';
import { paint } from '../screen/paint.ts';
import { UsageError } from '../usage-error.ts';
import { findSession } from './find-session.ts';
import { sessionTable } from './list.ts';

export async function deleteSessions(given: Given): Promise<number> {
  return withClient(given, async ({ sessions }) => {
    const found: SessionSummary[] = [];
    for (const id of new Set(given.words)) found.push(await findSession(sessions, id));
    if (!isOn(given, 'yes') && !(await askAgreement(found))) {
      process.stderr.write('nothing was deleted\n');
      return EXIT.failure;
    }
    for (const { agent, sessionId } of found) await sessions.delete(`${agent}:${sessionId}`);
    if (isOn(given, 'json')) return printJson<'sessions delete'>({ deleted: found });
    return print(found.length === 1 ? 'The session was deleted.' : `${found.length} sessions were deleted.`);
  });
}

async function askAgreement(found: readonly SessionSummary[]): Promise<boolean> {
  const terminal = openTerminal();
  if (!terminal) {
    throw new UsageError('nobody can be asked whether to delete it', '--yes deletes without asking');
  }
  try {
    const { bold } = paint(process.stderr);
    tell(sessionTable(found, Date.now()));
    const what = found.length === 1 ? 'this session' : `these ${found.length} sessions`;
    const answer = await terminal.ask(bold(`Delete ${what} for ever? [y/N] `));
    return /^y(es)?$/i.test(answer?.trim() ?? '');
  } finally {
    terminal.close();
  }
}
