import { resolve } from 'node:path';
import { hasFlag, type ParsedArgs } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print, printInfo, printJson, printNote } from '../output.ts';
import { titleOfRequest } from '../requests/event-of.ts';
import { withDaemon } from './open.ts';
import { allSessions, openRequests } from './pages.ts';
import { firstRequests, sessionTable, sortSessions } from './session-table.ts';

export async function listSessions(
  args: ParsedArgs,
  { all, agent, cwd }: { all: boolean; agent: string | undefined; cwd: string | undefined },
): Promise<number> {
  return withDaemon(async (daemon) => {
    const found = await allSessions(daemon, {
      agent,
      ...(cwd === undefined ? {} : { cwd: resolve(cwd) }),
      ...(all ? {} : { terminated: false }),
    });
    const sessions = sortSessions(found);
    if (hasFlag(args, 'json')) return printJson<'ps'>({ sessions });
    if (sessions.length === 0) {
      print(all ? 'No sessions.' : 'No active sessions.');
      return printNote(
        'run "amux new -a AGENT ..." to start one',
        ...(all ? [] : ['run "amux ps --all" to include ended sessions']),
      );
    }
    const needsInput = sessions.some(({ openRequests }) => openRequests > 0);
    const waits = firstRequests(needsInput ? await openRequests(daemon) : [], titleOfRequest);
    print(sessionTable(sessions, { now: Date.now(), home: process.env.HOME, waits }));
    if (!process.stdout.isTTY) return EXIT.ok;
    printInfo('');
    return printNote(
      needsInput ? 'run "amux inbox" to see and answer open requests' : 'run "amux attach ID" to attach to one',
    );
  });
}
