import type { SessionSummary } from '@agent-mux/core';
import { hasFlag, type ParsedArgs, stringFlag } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printInfo, printJson, printNote } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { UsageError } from '../usage-error.ts';
import { queryOf, querySessions } from './flags.ts';
import { folderName, formatAge, formatMoney, shortIds, titleOf } from './format.ts';

const DEFAULT_LIMIT = 50;

/** Lists the sessions of this folder, unless another one or all are requested. */
export async function listSessions(args: ParsedArgs): Promise<number> {
  if (hasFlag(args, 'all') && stringFlag(args, 'cwd') !== undefined) {
    throw new UsageError('--all and --cwd are mutually exclusive');
  }
  const query = await queryOf(args, { limit: DEFAULT_LIMIT });
  const isHere = !hasFlag(args, 'all') && query.cwd === undefined;
  const wanted = isHere ? { ...query, cwd: process.cwd() } : query;
  return withClient(
    args,
    async ({ sessions: catalog }) => {
      const found = await querySessions(args, (onProgress) => catalog.list({ ...wanted, onProgress }));
      if (hasFlag(args, 'json')) return printJson<'sessions list'>(found);
      const { sessions, total } = found;
      const otherFolders = isHere ? (await catalog.list({ ...query, limit: 1 })).total - total : 0;
      const hints: string[] = [];
      if (total > sessions.length) hints.push(`${total - sessions.length} more: use --limit 0 to show all`);
      if (otherFolders > 0) hints.push(`${otherFolders} in other folders: run "amux sessions --all"`);
      if (sessions.length === 0) {
        print(isHere ? 'No sessions in this folder.' : 'No sessions.');
        for (const hint of hints) printNote(hint);
        return EXIT.ok;
      }
      print(sessionTable(sessions, Date.now()));
      printInfo('');
      for (const hint of hints) printNote(hint);
      return printNote('run "amux sessions show ID" to show one and how to resume it');
    },
    { asksAll: query.agents === undefined },
  );
}

export function sessionTable(sessions: readonly SessionSummary[], now: number): string {
  const { dim, cyan } = paint(process.stdout);
  const whole = sessions.map(({ sessionId }) => sessionId);
  const ids = process.stdout.isTTY ? shortIds(whole) : whole;
  const head = ['AGE', 'AGENT', 'TITLE', 'PROJECT', 'MESSAGES', 'COST', 'ID'];
  const body = sessions.map((session, at) => [
    formatAge(session.updatedAt, now),
    session.agent,
    titleOf(session),
    folderName(session.cwd),
    String(session.messageCount),
    formatMoney(session.costUsd, session.costSource === 'estimated'),
    ids[at] ?? session.sessionId,
  ]);
  const style = (cell: string, _: number, column: number) =>
    column === 6 ? cyan(cell) : column === 2 ? cell : dim(cell);
  return addHead([head, ...body], style, { keep: [0, 1, 4, 5, 6], spare: [4, 5, 3] });
}
