import type { SessionSummary } from '@agent-mux/core';
import { hasFlag, type ParsedArgs } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withClient } from '../open-client.ts';
import { print, printInfo, printJson } from '../output.ts';
import { openTerminal } from '../run/terminal/terminal.ts';
import { paint } from '../screen/paint.ts';
import { UsageError } from '../usage-error.ts';
import { findSession } from './find-session.ts';
import { sessionTable } from './list.ts';

export async function deleteSessions(args: ParsedArgs): Promise<number> {
  return withClient(args, async ({ sessions }) => {
    const found: SessionSummary[] = [];
    for (const id of new Set(args.positionals)) found.push(await findSession(sessions, id));
    if (!hasFlag(args, 'yes') && !(await askAgreement(found))) {
      process.stderr.write('nothing was deleted\n');
      return EXIT.failure;
    }
    for (const { agent, sessionId } of found) await sessions.delete(`${agent}:${sessionId}`);
    if (hasFlag(args, 'json')) return printJson<'sessions delete'>({ deleted: found });
    return print(found.length === 1 ? 'Session deleted.' : `${found.length} sessions deleted.`);
  });
}

async function askAgreement(found: readonly SessionSummary[]): Promise<boolean> {
  const terminal = openTerminal();
  if (!terminal) {
    throw new UsageError('cannot confirm the deletion without a terminal', 'use --yes to delete without confirmation');
  }
  try {
    const { bold } = paint(process.stderr);
    printInfo(sessionTable(found, Date.now()));
    const what = found.length === 1 ? 'this session' : `these ${found.length} sessions`;
    const answer = await terminal.ask(bold(`Delete ${what} permanently? [y/N] `));
    return /^y(es)?$/i.test(answer?.trim() ?? '');
  } finally {
    terminal.close();
  }
}
