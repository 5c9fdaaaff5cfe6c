import assert from 'node:assert/strict';
import { HELLO, reply } from '../../model/index.ts';
import { always, type VerifyCase } from '../verify-case.ts';
import { aSession, twoTurns } from './shared-runs.ts';

/** Prompt and answer, further turns, and resuming. */
export const conversationCases: readonly VerifyCase[] = [
  {
    id: 'hello',
    title: 'a prompt reaches the model and its answer comes back',
    rank: 'vital',
    shows: ['nativeSessionIds', 'turnCompletion', 'execModel', 'sessionPersistence', 'supportsTextStreaming'],
    needs: always,
    async run(bench) {
      bench.replies(reply.text(HELLO, { chunks: 6, delayMs: 20 }));
      const run = await bench.run({ prompt: 'Say hello to the test.' });
      run.completed(HELLO);
      assert.ok(bench.request(0).prompt.includes('Say hello to the test.'), `prompt was ${bench.request(0).prompt}`);
      assert.equal(bench.requests.length, 1, 'one request');
      assert.equal(bench.request(0).api, bench.setup.api);
      assert.equal(run.result.turnCount, 1);
      assert.equal(run.one('turn_end').status, 'completed');
      assert.equal(run.one('session_end').reason, 'completed');
      if (bench.capabilities.nativeSessionIds) assert.equal(run.one('session_start').sessionId, run.sessionId);
      if (bench.capabilities.supportsTextStreaming) assert.ok(run.of('text_delta').length > 1, run.summary);
    },
  },
  {
    id: 'two-turns',
    title: 'a second turn continues the conversation, in the same process if it is live',
    rank: 'essential',
    shares: 'two turns',
    shows: ['supportsMultiTurn'],
    needs: (capabilities) => capabilities.supportsMultiTurn,
    async run(bench) {
      const { run, requests, families } = await twoTurns(bench);
      run.completed('the second answer');
      assert.equal(run.result.turnCount, 2);
      const second = requests.at(-1);
      assert.equal(second?.turn, 1, 'the model sees the second turn of one conversation');
      assert.ok(second.prompt.includes('The second question.'));
      assert.ok(second.messages.some((message) => message.text.includes('the first answer')));
      if (bench.mode.driver !== 'live' && bench.mode.driver !== 'acp') return;
      const [before = [], after = []] = [families[0], families.at(-1)];
      assert.ok(
        before.some((pid) => after.includes(pid)),
        `another process: ${before} then ${after}`,
      );
    },
  },
  {
    id: 'resume',
    title: 'a session is resumed by its id, and the model sees its first turn',
    rank: 'vital',
    shares: 'session',
    shows: ['canResume', 'resumeAttach'],
    needs: (capabilities) => capabilities.canResume,
    async run(bench) {
      const { run: first, cwd } = await aSession(bench);
      bench.replies('You asked for my name.');
      const second = await bench.run({ prompt: 'What did I ask?', sessionId: first.sessionId, cwd });
      second.completed('You asked for my name.');
      assert.equal(second.sessionId, first.sessionId);
      assert.equal(second.one('session_resume').sessionId, first.sessionId);
      const texts = bench.request(-1).messages.map((message) => message.text);
      assert.ok(
        texts.some((text) => text.includes('What is your name?')),
        'the first prompt',
      );
      assert.ok(
        texts.some((text) => text.includes('My name is Ada.')),
        'the first answer',
      );
      assert.ok(!textOf(second.events).includes('My name is Ada.'), 'the history is not shown as new');
    },
  },
  {
    id: 'resume-unknown',
    title: 'a session that does not exist is an error, never a new conversation',
    shares: 'session',
    shows: ['canResume'],
    needs: (capabilities) => capabilities.canResume,
    async run(bench) {
      const { run: known, cwd } = await aSession(bench);
      bench.replies(HELLO);
      const before = bench.requests.length;
      const run = await bench.run({ sessionId: unknownLike(known.sessionId), cwd });
      assert.notEqual(run.result.exitReason, 'completed');
      assert.equal(run.result.error?.code, 'SESSION_NOT_FOUND', JSON.stringify(run.result.error));
      assert.equal(bench.requests.length, before, 'the model was not asked');
    },
  },
  {
    id: 'fork',
    title: 'a fork has a new id and the history, and leaves its origin unchanged',
    rank: 'essential',
    shares: 'session',
    shows: ['canFork'],
    needs: (capabilities) => capabilities.canFork,
    async run(bench) {
      const { run: origin, cwd } = await aSession(bench);
      bench.replies('In the fork.', 'In the origin.');
      const fork = (await bench.run({ prompt: 'Only in the fork.', forkSessionId: origin.sessionId, cwd })).completed();
      assert.equal(fork.result.text, 'In the fork.');
      assert.notEqual(fork.sessionId, origin.sessionId);
      assert.equal(fork.one('session_fork').fromSessionId, origin.sessionId);
      assert.ok(bench.request(-1).messages.some((message) => message.text.includes('My name is Ada.')));
      if (!bench.capabilities.canResume) return;
      (await bench.run({ prompt: 'And here?', sessionId: origin.sessionId, cwd })).completed('In the origin.');
      const texts = bench.request(-1).messages.map((message) => message.text);
      assert.ok(!texts.some((text) => text.includes('Only in the fork.')), 'the origin does not know the fork');
    },
  },
];

function textOf(events: readonly { type: string; delta?: string }[]): string {
  return events.map((event) => (event.type === 'text_delta' ? event.delta : '')).join('');
}

/** A nonexistent id of the same format: its last letters and digits are changed. */
function unknownLike(id: string): string {
  const swap = (character: string) =>
    /[0-9]/.test(character) ? String((Number(character) + 5) % 10) : character === 'a' ? 'b' : 'a';
  return id.replace(/(?:[0-9a-z][^0-9a-z]*){6}$/i, (end) => end.replace(/[0-9a-z]/gi, swap));
}
