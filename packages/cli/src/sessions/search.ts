import { type Given, isOn } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withClient } from '../open-client.ts';
import { print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { makePrintable } from '../screen/plain.ts';
import { columnsOf, cutToWidth } from '../screen/width.ts';
import { askSessions, queryOf } from './flags.ts';
import { age, folderName, titleOf } from './words.ts';

const WIDTH_WITHOUT_TERMINAL = 160;
const DEFAULT_LIMIT = 20;

/** Exits with 1 where nothing was found, as grep does. */
export async function searchSessions(given: Given): Promise<number> {
  const query = await queryOf(given, { limit: DEFAULT_LIMIT });
  // A word of several words was quoted in the shell: they stand together.
  const words = given.words.map((word) => (/\s/.test(word) && !word.includes('"') ? `"${word}"` : word)).join(' ');
  return withClient(given, async ({ sessions }) => {
    const found = await askSessions(given, (onProgress) => sessions.search(words, { ...query, onProgress }));
    if (isOn(given, 'json')) printJson<'sessions search'>(found);
    else if (found.hits.length === 0) print('Nothing found.');
    else {
      const { bold, cyan, dim, yellow } = paint(process.stdout);
      const width = process.stdout.isTTY ? columnsOf(process.stdout) : WIDTH_WITHOUT_TERMINAL;
      for (const { session, snippet } of found.hits) {
        const { agent, sessionId, updatedAt, cwd } = session;
        print(bold(cutToWidth(titleOf(session), width)));
        print(
          `  ${cyan(`${agent}:${makePrintable(sessionId)}`)}  ${dim(`${age(updatedAt, Date.now())}  ${folderName(cwd)}`)}`,
        );
        const parts = snippet.map(({ text, match }) => {
          const flat = makePrintable(text).replace(/\s+/g, ' ');
          return match ? yellow(flat) : flat;
        });
        print(`  ${parts.join('')}`);
      }
    }
    return found.hits.length > 0 ? EXIT.ok : EXIT.failure;
  });
}
