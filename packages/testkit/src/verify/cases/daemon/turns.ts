import assert from 'node:assert/strict';
import { reply } from '../../../model/index.ts';
import type { Bench } from '../../bench.ts';
import type { VerifyCase } from '../../verify-case.ts';
import { DAEMON_CASE } from './daemon-case.ts';
import {
  answer,
  answerByName,
  assertKnows,
  canReturn,
  DrivenSession,
  question,
  refusalOf,
  requestOf,
} from './driven-session.ts';

/** An interrupt that takes longer than this has not ended the turn: the answer itself lasts forty seconds. */
const INTERRUPTED_WITHIN_MS = 15_000;

/** Turns that end early, wait for each other, or outlive the daemon. */
export const turnCases: readonly VerifyCase[] = [
  {
    ...DAEMON_CASE,
    id: 'interrupt-continue',
    unasserted: ['interrupted-turn-forgotten'],
    title:
      'after an interrupt a further message continues the conversation; where it cannot interrupt, that is refused',
    rank: 'essential',
    async run(bench) {
      bench.script((request) =>
        request.prompt.includes(question('long')) ? reply.chunks(2000, { delayMs: 20 }) : answerByName(request),
      );
      const session = await DrivenSession.start(bench, 'one');
      if (!bench.capabilities.supportsMultiTurn && !canReturn(bench)) return;
      const messageId = await session.send(question('long'));
      await streaming(bench, session, 'long', 'c1 ');
      if (!bench.capabilities.supportsInterrupt) {
        assert.ok(await refusalOf(() => session.calls.interrupt(session.id)), 'the interrupt was not refused');
        return;
      }
      const started = performance.now();
      await session.calls.interrupt(session.id);
      await session.ended(messageId);
      const took = performance.now() - started;
      assert.ok(
        took < INTERRUPTED_WITHIN_MS * (bench.setup.patience ?? 1),
        `the turn ended ${took} ms after the interrupt`,
      );
      await session.ask('two');
      assertKnows(bench, 'two', ['one']);
      // A process that ends with the turn may have stored nothing of it.
      if (!bench.asserts('interrupted-turn-forgotten') || !bench.capabilities.supportsMultiTurn) return;
      const texts = requestOf(bench, 'two')?.messages.map(({ text }) => text) ?? [];
      assert.ok(texts.join('\n').includes(question('long')), 'the model did not get the interrupted question');
    },
  },
  {
    ...DAEMON_CASE,
    id: 'queued-messages',
    title: 'three messages queued during a turn are delivered in order, once each',
    rank: 'essential',
    needs: ({ supportsMultiTurn, canResume }) => supportsMultiTurn || canResume,
    async run(bench) {
      bench.script((request) =>
        request.prompt.includes(question('one'))
          ? reply.text(answer('one'), { chunks: 10, delayMs: 200 })
          : answerByName(request),
      );
      const { session, messageId } = await DrivenSession.create(bench, question('one'));
      const names = ['two', 'three', 'four'];
      const queued: string[] = [];
      for (const name of names) queued.push(await session.send(question(name)));
      for (const id of [messageId, ...queued]) await session.done(id);
      const order = bench.requests
        .filter(({ step }) => step === 0)
        .map(({ prompt }) => /Question (\w+):/.exec(prompt)?.[1]);
      assert.deepEqual(order, ['one', ...names]);
      assertKnows(bench, 'four', ['one', 'two', 'three']);
    },
  },
  {
    ...DAEMON_CASE,
    id: 'daemon-killed-idle',
    title: 'after SIGKILL of the daemon between two turns the next message continues the conversation',
    rank: 'essential',
    needs: ({ supportsMultiTurn, canResume }) => supportsMultiTurn || canResume,
    async run(bench) {
      bench.script(answerByName);
      const session = await DrivenSession.start(bench, 'one');
      await bench.daemon.kill();
      await bench.daemon.ensure();
      await session.ask('two');
      assertKnows(bench, 'two', ['one']);
    },
  },
  {
    ...DAEMON_CASE,
    id: 'daemon-killed-mid-stream',
    title: 'after SIGKILL of the daemon during an answer the answer is whole, and the conversation continues',
    rank: 'vital',
    async run(bench) {
      const words = Array.from({ length: 60 }, (_, at) => `word${at} `).join('');
      bench.script((request) =>
        request.prompt.includes(question('long'))
          ? reply.text(words, { chunks: 60, delayMs: 80 })
          : answerByName(request),
      );
      const { session, messageId } = await DrivenSession.create(bench, question('long'));
      await streaming(bench, session, 'long', 'word');
      await bench.daemon.kill();
      await bench.daemon.ensure();
      await session.done(messageId);
      assert.equal((await session.text()).trim(), words.trim(), 'the answer after the restart');
      assert.equal(bench.requests.filter(({ step }) => step === 0).length, 1, 'the model was asked once');
      if (!bench.capabilities.supportsMultiTurn && !canReturn(bench)) return;
      await session.ask('two');
      assert.ok(
        requestOf(bench, 'two')?.messages.some(({ text }) => text.includes('word59')),
        'the model got the answer',
      );
    },
  },
];

/** The answer is on its way: its start is stored where the mode streams text, else the model has been asked. */
async function streaming(bench: Bench, session: DrivenSession, name: string, piece: string): Promise<void> {
  await session.until(`question ${name} is being answered`, async () => {
    if (!requestOf(bench, name)) return false;
    return !bench.capabilities.supportsTextStreaming || (await session.text()).includes(piece);
  });
}
