import assert from 'node:assert/strict';
import type { Bench } from '../../bench.ts';
import type { VerifyCase } from '../../verify-case.ts';
import { DAEMON_CASE } from './daemon-case.ts';
import {
  answerByName,
  assertKnows,
  canReturn,
  DrivenSession,
  question,
  refusalOf,
  requestOf,
} from './driven-session.ts';

/** Several sessions of one agent at once. */
export const severalCases: readonly VerifyCase[] = [
  {
    ...DAEMON_CASE,
    id: 'two-sessions',
    title: 'sessions of one agent at once, in one folder and in two, keep their conversations apart',
    rank: 'vital',
    async run(bench) {
      bench.script(answerByName);
      const other = bench.siblingFolder('other');
      const starts = { red: bench.cwd, green: bench.cwd, blue: other };
      const names = Object.keys(starts);
      const sessions = await Promise.all(
        Object.entries(starts).map(([name, cwd]) => DrivenSession.start(bench, name, { cwd })),
      );
      for (const name of names) assert.ok(requestOf(bench, name), `the model never got question ${name}`);
      const ids = (await Promise.all(sessions.map((session) => session.row()))).map(
        ({ agentSessionId }) => agentSessionId,
      );
      if (bench.capabilities.nativeSessionIds)
        assert.equal(new Set(ids).size, sessions.length, `agent session ids: ${ids}`);
      if (!bench.capabilities.supportsMultiTurn && !canReturn(bench)) return;
      await Promise.all(sessions.map((session, at) => session.ask(`${names[at]}2`)));
      for (const name of names) {
        const others = names.filter((one) => one !== name);
        assertKnows(bench, `${name}2`, [name], [...others, ...others.map((one) => `${one}2`)]);
      }
    },
  },
  {
    ...DAEMON_CASE,
    id: 'fork-open',
    title: 'a fork of an open session has its conversation and leaves it unchanged, or is refused',
    rank: 'essential',
    run: (bench) => forks(bench, async () => {}),
  },
  {
    ...DAEMON_CASE,
    id: 'fork-parked',
    title: 'a fork of a parked session has its conversation and leaves it unchanged, or is refused',
    rank: 'essential',
    needs: ({ canFork, canResume }) => canFork && canResume,
    run: (bench) =>
      forks(bench, async (session) => {
        await session.calls.park(session.id);
        await session.parked();
      }),
  },
];

async function forks(bench: Bench, before: (session: DrivenSession) => Promise<void>): Promise<void> {
  bench.script(answerByName);
  const session = await DrivenSession.start(bench, 'one');
  await before(session);
  const fork = async () => {
    const { id } = await session.calls.fork(session.id, { prompt: question('forked') });
    const forked = new DrivenSession(bench, id);
    const [message] = await forked.calls.messages(id);
    assert.ok(message, 'the fork has its first message');
    await forked.done(message.id);
    return forked;
  };
  if (!bench.capabilities.canFork) {
    const refusal = await refusalOf(fork);
    assert.ok(refusal, 'the mode does not declare forks, and one was not refused');
    assert.equal(requestOf(bench, 'forked'), undefined, 'the fork was refused, and yet the model was asked');
    return;
  }
  const forked = await fork();
  assertKnows(bench, 'forked', ['one']);
  if (!bench.capabilities.supportsMultiTurn && !canReturn(bench)) return;
  await Promise.all([session.ask('two'), forked.ask('forked2')]);
  assertKnows(bench, 'two', ['one'], ['forked', 'forked2']);
  assertKnows(bench, 'forked2', ['one', 'forked'], ['two']);
}
