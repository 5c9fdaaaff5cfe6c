import type { Session } from '@agent-mux/api';
import { type Given, isOn } from '../command.ts';
import { withDaemon } from '../daemon/open.ts';
import { allSessions } from '../daemon/pages.ts';
import { titleOf } from '../daemon/session-table.ts';
import { headline } from '../daemon/words.ts';
import { EXIT } from '../exit-codes.ts';
import { outlook } from '../limits/outlook.ts';
import { print, printJson, printNote } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { columnsOf } from '../screen/width.ts';
import { age, shortIds } from '../sessions/words.ts';
import { readAsked } from './asked.ts';
import { requestRows } from './rows.ts';

const WIDTH_WITHOUT_TERMINAL = 160;

export async function showInbox(given: Given): Promise<number> {
  return withDaemon(async (daemon) => {
    const inbox = await daemon.inbox();
    if (isOn(given, 'json')) return printJson<'inbox'>(inbox);
    const { requests, limits, failures } = inbox;
    if (requests.length + limits.length + failures.length === 0) {
      print('Nothing waits for you.');
      return printNote('amux ps shows what is at work');
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
    const asked = await Promise.all(requests.map((request) => readAsked(daemon, request)));
    asked.forEach((each, at) => {
      const { request } = each;
      if (at > 0) print('');
      const ago = `${age(request.createdAt, Date.now())} ago`;
      print(`${style.yellow('◆')} ${head(sessions.get(request.sessionId), request.agent, ago)}`);
      for (const row of requestRows(each, { paint: style, width, amux: 'amux', id: ids[at] ?? request.id })) print(row);
    });
    for (const session of limits) {
      const message = toOneLine(session.limit?.message ?? 'a limit was hit', 500);
      const next = outlook(session, Date.now());
      print(`\n${style.yellow('▲')} ${head(session, session.agent)}\n  ${[message, next].filter(Boolean).join('; ')}`);
      if (session.limit?.kind === 'usage') print(`    ${style.cyan(`amux limits now ${session.id.slice(0, 8)}`)}`);
    }
    for (const session of failures) {
      const short = session.id.slice(0, 8);
      print(
        `\n${style.red('✗')} ${head(session, session.agent)}\n  ${toOneLine(session.error?.message ?? 'it failed', 500)}`,
      );
      print(`    ${style.cyan(`amux ${session.isTerminated ? 'restore' : 'attach'} ${short}`)}`);
    }
    return EXIT.ok;
  });
}

/** The session's own id where it has one request: that is what `amux ps` shows. */
function idsToType(requests: readonly { id: string; sessionId: string }[]): string[] {
  const own = shortIds(requests.map(({ id }) => id));
  const sessions = shortIds([...new Set(requests.map(({ sessionId }) => sessionId))]);
  const order = [...new Set(requests.map(({ sessionId }) => sessionId))];
  return requests.map(({ sessionId }, at) => {
    const isAlone = requests.filter((other) => other.sessionId === sessionId).length === 1;
    return (isAlone ? sessions[order.indexOf(sessionId)] : own[at]) ?? '';
  });
}
