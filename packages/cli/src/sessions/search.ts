import { hasFlag, type ParsedArgs } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withClient } from '../open-client.ts';
import { print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { escapeUnprintable } from '../screen/plain.ts';
import { columnsOf, cutToWidth } from '../screen/width.ts';
import { queryOf, querySessions } from './flags.ts';
import { folderName, formatAge, titleOf } from './format.ts';

const WIDTH_WITHOUT_TERMINAL = 160;
const DEFAULT_LIMIT = 20;

/** Exits 1 if nothing is found, like grep. */
export async function searchSessions(args: ParsedArgs): Promise<number> {
  const query = await queryOf(args, { limit: DEFAULT_LIMIT });
  // An argument with spaces was quoted in the shell: it is a phrase.
  const terms = args.positionals.map((word) => (/\s/.test(word) && !word.includes('"') ? `"${word}"` : word)).join(' ');
  return withClient(args, async ({ sessions }) => {
    const found = await querySessions(args, (onProgress) => sessions.search(terms, { ...query, onProgress }));
    if (hasFlag(args, 'json')) printJson<'sessions search'>(found);
    else if (found.hits.length === 0) print('Nothing found.');
    else {
      const { bold, cyan, dim, yellow } = paint(process.stdout);
      const width = process.stdout.isTTY ? columnsOf(process.stdout) : WIDTH_WITHOUT_TERMINAL;
      for (const { session, snippet } of found.hits) {
        const { agent, sessionId, updatedAt, cwd } = session;
        print(bold(cutToWidth(titleOf(session), width)));
        print(
          `  ${cyan(`${agent}:${escapeUnprintable(sessionId)}`)}  ${dim(`${formatAge(updatedAt, Date.now())}  ${folderName(cwd)}`)}`,
        );
        const parts = snippet.map(({ text, match }) => {
          const flat = escapeUnprintable(text).replace(/\s+/g, ' ');
          return match ? yellow(flat) : flat;
        });
        print(`  ${parts.join('')}`);
      }
    }
    return found.hits.length > 0 ? EXIT.ok : EXIT.failure;
  });
}
