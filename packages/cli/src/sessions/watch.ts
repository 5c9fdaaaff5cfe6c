import { stopWaiting, waitForDrain } from '../broken-pipe.ts';
import { hasFlag, type ParsedArgs } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withClient } from '../open-client.ts';
import { print, printJsonLine } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { escapeUnprintable } from '../screen/plain.ts';
import { findSession } from './find-session.ts';
import { queryOf } from './flags.ts';
import { messageText } from './show.ts';

/** Prints new messages until Ctrl-C. */
export async function watchSessions(args: ParsedArgs): Promise<number> {
  const [id] = args.positionals;
  const { limit: _, ...filter } = await queryOf(args);
  const cwd = hasFlag(args, 'all') ? {} : { cwd: filter.cwd ?? process.cwd() };
  const stop = new AbortController();
  const end = () => {
    stopWaiting();
    stop.abort();
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  return withClient(args, async ({ sessions }) => {
    const style = paint(process.stdout);
    // Reports an unknown id before printing the headline.
    const one = id === undefined ? undefined : await findSession(sessions, id);
    const target = one ? `${one.agent}:${one.sessionId}` : { ...filter, ...cwd };
    process.stderr.write(
      style.dim(`watching ${one ? escapeUnprintable(one.sessionId) : 'all sessions'}; Ctrl-C stops\n`),
    );
    for await (const update of sessions.watch(target, { signal: stop.signal })) {
      if (hasFlag(args, 'json')) printJsonLine<'sessions watch'>(update);
      else {
        const whose = one ? '' : style.dim(`${update.agent}:${escapeUnprintable(update.sessionId)}\n`);
        print(`${whose}${messageText(update.message, style)}\n`);
      }
      await waitForDrain();
    }
    return EXIT.ok;
  });
}
