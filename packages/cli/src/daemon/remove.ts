import type { RemovedSession, Session } from '@agent-mux/api';
import { type Given, isOn } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print, printJson, tell } from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { withDaemon } from './open.ts';
import { sessionTable } from './session-table.ts';

/** Asks for confirmation; without a terminal, `--yes` must be given. */
export async function removeSessions(given: Given, { yes }: { yes: boolean }): Promise<number> {
  return withDaemon(async (daemon) => {
    const found: Session[] = [];
    for (const id of new Set(given.words)) found.push(await daemon.sessions.get(id));
    if (!yes && !(await askAgreement(found))) {
      process.stderr.write('nothing was removed\n');
      return EXIT.failure;
    }
    const removed: RemovedSession[] = [];
    for (const { id } of found) removed.push(await daemon.sessions.remove(id));
    if (isOn(given, 'json')) return printJson<'rm'>({ sessions: found, removed });
    found.forEach(({ workspace }, at) => {
      if (workspace.kind === 'worktree') for (const line of savedLines(workspace, removed[at])) tell(line);
    });
    return print(found.length === 1 ? 'The session is removed.' : `${found.length} sessions are removed.`);
  });
}

/** Where the work of a removed worktree is, and how to get it back. */
function savedLines(
  { repository, branch }: { repository: string; branch: string },
  removed?: RemovedSession,
): string[] {
  const { savedRef = null, savedPath = null } = removed ?? {};
  return [
    `The branch ${branch} stays in ${repository}.`,
    ...(savedRef === null
      ? []
      : [
          `Uncommitted work was saved to ${savedRef}.`,
          `Run "git -C ${repository} diff ${branch} ${savedRef}" to see it.`,
        ]),
    ...(savedPath === null
      ? []
      : [`Files that git does not store (ignored files, nested repositories) were moved to ${savedPath}.`]),
  ];
}

async function askAgreement(found: readonly Session[]): Promise<boolean> {
  const noTerminal = () => new UsageError('no terminal to confirm the removal', 'run the command again with --yes');
  if (!process.stdin.isTTY) throw noTerminal();
  const { openTerminal } = await import('../run/terminal/terminal.ts');
  const { paint } = await import('../screen/paint.ts');
  const terminal = openTerminal();
  if (!terminal) throw noTerminal();
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
