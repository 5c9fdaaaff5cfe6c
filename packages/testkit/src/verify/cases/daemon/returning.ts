import assert from 'node:assert/strict';
import type { Bench } from '../../bench.ts';
import type { VerifyCase } from '../../verify-case.ts';
import { DAEMON_CASE } from './daemon-case.ts';
import {
  answerByName,
  assertKnows,
  canReturn,
  continuesOrRefuses,
  DrivenSession,
  question,
  refusalOf,
} from './driven-session.ts';

/** A race of the old launch with the next one is not seen in one round. After a pause there is none. */
const ROUNDS = { parked: ['two', 'three', 'four'], stopped: ['two', 'three'], paused: ['two'] };

/** A session that continues: in its process, after parking, after stop and restore. */
export const returningCases: readonly VerifyCase[] = [
  {
    ...DAEMON_CASE,
    id: 'second-turn',
    title: 'a second message is part of the same conversation at the model, or it is refused',
    rank: 'vital',
    async run(bench) {
      bench.script(answerByName);
      const session = await DrivenSession.start(bench, 'one');
      if (!bench.capabilities.supportsMultiTurn && !canReturn(bench))
        return continuesOrRefuses(bench, session, { name: 'two', known: ['one'] });
      await session.ask('two');
      await session.ask('three');
      assertKnows(bench, 'two', ['one']);
      assertKnows(bench, 'three', ['one', 'two']);
    },
  },
  {
    ...DAEMON_CASE,
    id: 'park-send',
    title: 'a message sent right after park continues the conversation, or is refused',
    rank: 'vital',
    run: (bench) => comesBack(bench, ROUNDS.parked, (session) => session.calls.park(session.id)),
  },
  {
    ...DAEMON_CASE,
    id: 'park-pause-send',
    title: 'a message to a parked session continues the conversation, or is refused',
    rank: 'essential',
    run: (bench) =>
      comesBack(bench, ROUNDS.paused, async (session) => {
        await session.calls.park(session.id);
        await session.parked();
      }),
  },
  {
    ...DAEMON_CASE,
    id: 'stop-restore-send',
    title: 'a message right after stop and restore continues the conversation, or restore is refused',
    rank: 'vital',
    run: (bench) =>
      comesBack(bench, ROUNDS.stopped, async (session) => {
        await session.calls.stop(session.id);
        await session.calls.restore(session.id);
      }),
  },
  {
    ...DAEMON_CASE,
    id: 'stop-pause-restore-send',
    title: 'a session restored when its processes have ended continues the conversation, or restore is refused',
    rank: 'essential',
    run: (bench) =>
      comesBack(bench, ROUNDS.paused, async (session) => {
        await session.calls.stop(session.id);
        await session.until('its processes have ended', async () => bench.processes().length === 0);
        const refusal = await refusalOf(() => session.send(question('ended')));
        assert.ok(refusal, 'a message to an ended session is refused');
        await session.calls.restore(session.id);
      }),
  },
];

async function comesBack(
  bench: Bench,
  rounds: readonly string[],
  leave: (session: DrivenSession) => Promise<unknown>,
): Promise<void> {
  bench.script(answerByName);
  const session = await DrivenSession.start(bench, 'one');
  if (!canReturn(bench))
    return continuesOrRefuses(bench, session, { name: 'two', known: ['one'], before: () => leave(session) });
  const known = ['one'];
  for (const name of rounds) {
    await leave(session);
    await session.ask(name);
    assertKnows(bench, name, known);
    known.push(name);
  }
}
