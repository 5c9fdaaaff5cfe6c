import type { Session } from '@agent-mux/api';
import { hasFlag, type ParsedArgs } from '../command.ts';
import { headline } from '../daemon/format.ts';
import { withDaemon } from '../daemon/open.ts';
import { allSessions } from '../daemon/pages.ts';
import { titleOf } from '../daemon/session-table.ts';
import { EXIT } from '../exit-codes.ts';
import { formatOutlook } from '../limits/format.ts';
import { print, printJson, printNote } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { columnsOf } from '../screen/width.ts';
import { formatAge, shortIds } from '../sessions/format.ts';
import { readRequestDetails } from './request-details.ts';
import { requestRows } from './rows.ts';

const WIDTH_WITHOUT_TERMINAL = 160;

export async function showInbox(args: ParsedArgs): Promise<number> {
  return withDaemon(async (daemon) => {
    const inbox = await daemon.inbox();
    if (hasFlag(args, 'json')) return printJson<'inbox'>(inbox);
    const { requests, limits, failures } = inbox;
    if (requests.length + limits.length + failures.length === 0) {
      print('Nothing needs you.');
      return printNote('run "amux ps" to list sessions');
    }
    const style = paint(process.stdout);
    const width = process.stdout.isTTY ? columnsOf(process.stdout) : WIDTH_WITHOUT_TERMINAL;
    const sessions = new Map((await allSessions(daemon)).map((session) => [session.id, session]));
    const head = (session: Session | undefined, agent: string, ago?: string) =>
      session
        ? headline(
            { agent, title: titleOf(session), cwd: session.cwd },
            { paint: style, width: width - 3, home: process.env.HOME, ago },
          )
        : agent;
    const ids = idsToType(requests);
    const details = await Promise.all(requests.map((request) => readRequestDetails(daemon, request)));
    details.forEach((each, at) => {
      const { request } = each;
      if (at > 0) print('');
      const ago = `${formatAge(request.createdAt, Date.now())} ago`;
      print(`${style.yellow('◆')} ${head(sessions.get(request.sessionId), request.agent, ago)}`);
      for (const row of requestRows(each, { paint: style, width, amux: 'amux', id: ids[at] ?? request.id })) print(row);
    });
    for (const session of limits) {
      const message = toOneLine(session.limit?.message ?? 'limit reached', 500);
      const next = formatOutlook(session, Date.now());
      print(`\n${style.yellow('▲')} ${head(session, session.agent)}\n  ${[message, next].filter(Boolean).join('; ')}`);
      if (session.limit?.kind === 'usage') print(`    ${style.cyan(`amux limits continue ${session.id.slice(0, 8)}`)}`);
    }
    for (const session of failures) {
      const short = session.id.slice(0, 8);
      print(
        `\n${style.red('✗')} ${head(session, session.agent)}\n  ${toOneLine(session.error?.message ?? 'failed', 500)}`,
      );
      print(`    ${style.cyan(`amux ${session.isTerminated ? 'restore' : 'attach'} ${short}`)}`);
    }
    return EXIT.ok;
  });
}

/** The session id if it has a single request, as shown by `amux ps`; otherwise the request id. */
function idsToType(requests: readonly { id: string; sessionId: string }[]): string[] {
  const own = shortIds(requests.map(({ id }) => id));
  const sessions = shortIds([...new Set(requests.map(({ sessionId }) => sessionId))]);
  const order = [...new Set(requests.map(({ sessionId }) => sessionId))];
  return requests.map(({ sessionId }, at) => {
    const isAlone = requests.filter((other) => other.sessionId === sessionId).length === 1;
    return (isAlone ? sessions[order.indexOf(sessionId)] : own[at]) ?? '';
  });
}
