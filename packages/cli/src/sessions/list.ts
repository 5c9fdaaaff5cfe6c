import type { SessionSummary } from '@agent-mux/core';
import { type Given, isOn, textFlag } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson, printNote, tell } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { UsageError } from '../usage-error.ts';
import { askSessions, queryOf } from './flags.ts';
import { age, folderName, money, shortIds, titleOf } from './words.ts';

const DEFAULT_LIMIT = 50;

/** Those of this folder, unless another one or all are asked for. */
export async function listSessions(given: Given): Promise<number> {
  if (isOn(given, 'all') && textFlag(given, 'cwd') !== undefined) {
    throw new UsageError('--all contradicts --cwd', 'give one of them');
  }
  const query = await queryOf(given, { limit: DEFAULT_LIMIT });
  const isHere = !isOn(given, 'all') && query.cwd === undefined;
  const wanted = isHere ? { ...query, cwd: process.cwd() } : query;
  return withClient(
    given,
    async ({ sessions: catalog }) => {
      const found = await askSessions(given, (onProgress) => catalog.list({ ...wanted, onProgress }));
      if (isOn(given, 'json')) return printJson<'sessions list'>(found);
      const { sessions, total } = found;
      const elsewhere = isHere ? (await catalog.list({ ...query, limit: 1 })).total - total : 0;
      const hints: string[] = [];
      if (total > sessions.length) hints.push(`${total - sessions.length} more: --limit 0 shows all`);
      if (elsewhere > 0) hints.push(`${elsewhere} in other folders: amux sessions --all`);
      if (sessions.length === 0) {
        print(isHere ? 'No sessions in this folder.' : 'No sessions.');
        for (const hint of hints) printNote(hint);
        return EXIT.ok;
      }
      print(sessionTable(sessions, Date.now()));
      tell('');
      for (const hint of hints) printNote(hint);
      return printNote('amux sessions show ID shows one, and how to go on with it');
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
    age(session.updatedAt, now),
    session.agent,
    titleOf(session),
    folderName(session.cwd),
    String(session.messageCount),
    money(session.costUsd, session.costSource === 'estimated'),
    ids[at] ?? session.sessionId,
  ]);
  const style = (cell: string, _: number, column: number) =>
    column === 6 ? cyan(cell) : column === 2 ? cell : dim(cell);
  return addHead([head, ...body], style, { keep: [0, 1, 4, 5, 6], spare: [4, 5, 3] });
}
