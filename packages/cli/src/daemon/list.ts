import { resolve } from 'node:path';
import { type Given, isOn } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print, printJson, printNote, tell } from '../output.ts';
import { titleOfRequest } from '../requests/event-of.ts';
import { withDaemon } from './open.ts';
import { allSessions, openRequests } from './pages.ts';
import { firstRequests, sessionTable, sortSessions } from './session-table.ts';

export async function listSessions(
  given: Given,
  { all, agent, cwd }: { all: boolean; agent: string | undefined; cwd: string | undefined },
): Promise<number> {
  return withDaemon(async (daemon) => {
    const found = await allSessions(daemon, {
      agent,
      ...(cwd === undefined ? {} : { cwd: resolve(cwd) }),
      ...(all ? {} : { terminated: false }),
    });
    const sessions = sortSessions(found);
    if (isOn(given, 'json')) return printJson<'ps'>({ sessions });
    if (sessions.length === 0) {
      print(all ? 'No sessions.' : 'No session is at work.');
      return printNote(
        'amux new -a AGENT "..." begins one',
        ...(all ? [] : ['amux ps --all lists those that have ended']),
      );
    }
    const asks = sessions.some(({ openRequests }) => openRequests > 0);
    const waits = firstRequests(asks ? await openRequests(daemon) : [], titleOfRequest);
    print(sessionTable(sessions, { now: Date.now(), home: process.env.HOME, waits }));
    if (!process.stdout.isTTY) return EXIT.ok;
    tell('');
    return printNote(asks ? 'amux inbox shows what waits for you, and how to answer' : 'amux attach ID shows one');
  });
}
