import { tellToEnd, waitForRoom } from '../broken-pipe.ts';
import { type Given, isOn } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withClient } from '../open-client.ts';
import { print, printJsonLine } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { makePrintable } from '../screen/plain.ts';
import { findSession } from './find-session.ts';
import { queryOf } from './flags.ts';
import { messageText } from './show.ts';

/** What is said from now on, until Ctrl-C. */
export async function watchSessions(given: Given): Promise<number> {
  const [id] = given.words;
  const { limit: _, ...filter } = await queryOf(given);
  const cwd = isOn(given, 'all') ? {} : { cwd: filter.cwd ?? process.cwd() };
  const stop = new AbortController();
  const end = () => {
    tellToEnd();
    stop.abort();
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  return withClient(given, async ({ sessions }) => {
    const style = paint(process.stdout);
    // An id that is not there is told at once, not after the announcement.
    const one = id === undefined ? undefined : await findSession(sessions, id);
    const target = one ? `${one.agent}:${one.sessionId}` : { ...filter, ...cwd };
    process.stderr.write(
      style.dim(`watching ${one ? makePrintable(one.sessionId) : 'all that is said'}; Ctrl-C ends\n`),
    );
    for await (const update of sessions.watch(target, { signal: stop.signal })) {
      if (isOn(given, 'json')) printJsonLine<'sessions watch'>(update);
      else {
        const whose = one ? '' : style.dim(`${update.agent}:${makePrintable(update.sessionId)}\n`);
        print(`${whose}${messageText(update.message, style)}\n`);
      }
      await waitForRoom();
    }
    return EXIT.ok;
  });
}
