import type { RemovedSession, Session } from '@agent-mux/api';
import { hasFlag, type ParsedArgs } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { print, printInfo, printJson } from '../output.ts';
import { UsageError } from '../usage-error.ts';
import { withDaemon } from './open.ts';
import { sessionTable } from './session-table.ts';

/** Asks for confirmation; without a terminal, `--yes` must be given. */
export async function removeSessions(args: ParsedArgs, { yes }: { yes: boolean }): Promise<number> {
  return withDaemon(async (daemon) => {
    const found: Session[] = [];
    for (const id of new Set(args.positionals)) found.push(await daemon.sessions.get(id));
    if (!yes && !(await askAgreement(found))) {
      process.stderr.write('nothing was removed\n');
      return EXIT.failure;
    }
    const removed: RemovedSession[] = [];
    for (const { id } of found) removed.push(await daemon.sessions.remove(id));
    if (hasFlag(args, 'json')) return printJson<'rm'>({ sessions: found, removed });
    found.forEach(({ workspace }, at) => {
      if (workspace.kind === 'worktree') for (const line of savedLines(workspace, removed[at])) printInfo(line);
    });
    return print(found.length === 1 ? 'Session removed.' : `${found.length} sessions removed.`);
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
    printInfo(sessionTable(found, { now: Date.now(), home: process.env.HOME, waits: new Map() }));
    const live = found.filter(({ isTerminated, parked }) => !isTerminated && !parked).length;
    const what = found.length === 1 ? 'this session' : `these ${found.length} sessions`;
    const ends = live === 0 ? '' : found.length === 1 ? 'Stop and ' : `Stop ${live} and `;
    const question = `${ends}${ends ? 'remove' : 'Remove'} ${what} and everything stored about ${found.length === 1 ? 'it' : 'them'}? [y/N] `;
    const answer = await terminal.ask(paint(process.stderr).bold(question));
    return /^y(es)?$/i.test(answer?.trim() ?? '');
  } finally {
    terminal.close();
  }
}
