import type { Session } from '@agent-mux/api';
import { type Given, isOn } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print, printJson, tell } from '../output.ts';
import { withDaemon } from './open.ts';
import { sessionTable } from './session-table.ts';

/** Asks where somebody is there; a program has said what it wants. */
export async function removeSessions(given: Given, { yes }: { yes: boolean }): Promise<number> {
  return withDaemon(async (daemon) => {
    const found: Session[] = [];
    for (const id of new Set(given.words)) found.push(await daemon.sessions.get(id));
    if (!yes && !isOn(given, 'json') && !(await askAgreement(found))) {
      process.stderr.write('nothing was removed\n');
      return EXIT.failure;
    }
    for (const { id } of found) await daemon.sessions.remove(id);
    if (isOn(given, 'json')) return printJson<'rm'>({ sessions: found });
    for (const { workspace } of found) {
      if (workspace.kind === 'worktree') tell(`The branch ${workspace.branch} stays in ${workspace.repository}.`);
    }
    return print(found.length === 1 ? 'The session is removed.' : `${found.length} sessions are removed.`);
  });
}

async function askAgreement(found: readonly Session[]): Promise<boolean> {
  if (!process.stdin.isTTY) return true;
  const { openTerminal } = await import('../run/terminal/terminal.ts');
  const { paint } = await import('../screen/paint.ts');
  const terminal = openTerminal();
  if (!terminal) return true;
  try {
    tell(sessionTable(found, { now: Date.now(), home: process.env.HOME, waits: new Map() }));
    const live = found.filter(({ isTerminated, parked }) => !isTerminated && !parked).length;
    const what = found.length === 1 ? 'this session' : `these ${found.length} sessions`;
    const ends = live === 0 ? '' : found.length === 1 ? 'End and ' : `End ${live} and `;
    const question = `${ends}${ends ? 'remove' : 'Remove'} ${what} with all that was stored? [y/N] `;
    const answer = await terminal.ask(paint(process.stderr).bold(question));
    return /^y(es)?$/i.test(answer?.trim() ?? '');
  } finally {
    terminal.close();
  }
}
