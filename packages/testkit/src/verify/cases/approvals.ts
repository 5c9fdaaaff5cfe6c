import assert from 'node:assert/strict';
import type { ApprovalMode } from '@agent-mux/core';
import type { Bench } from '../bench.ts';
import type { RecordedRun } from '../recorded-run.ts';
import type { VerifyCase } from '../verify-case.ts';

const has = (mode: ApprovalMode) => (capabilities: { approvalModes: readonly ApprovalMode[] }) =>
  capabilities.approvalModes.includes(mode);

/** Not one of the commands that Claude Code 2.1 treats as an edit (touch, mkdir, mv and similar). */
/** Several agents consider `ls` harmless and run it without asking; the shell writes the file all the same. */
const HARMLESS_LOOKING = 'ls > listed.txt';
const COMMAND = 'sh -c "id > commanded.txt"';

/** Permissions, verified by files that exist or not. */
export const approvalCases: readonly VerifyCase[] = [
  {
    id: 'approval-granted',
    title: 'a command waits for its approval and then runs',
    rank: 'essential',
    shows: ['approvalModes.prompt'],
    needs: has('prompt'),
    async run(bench) {
      bench.replies(bench.shell('touch approved.txt'), 'Touched.');
      let before: boolean | undefined;
      const run = await bench.run({
        prompt: 'Touch a file.',
        approvalMode: 'prompt',
        onApprovalRequest: () => {
          before = bench.exists('approved.txt');
          return { decision: 'allow' };
        },
      });
      run.completed();
      assert.equal(before, false, `it was asked for before the file was there: ${run.summary}`);
      const request = run.one('approval_request');
      const resolved = run.one('approval_resolved');
      assert.equal(resolved.requestId, request.requestId);
      assert.deepEqual([resolved.outcome, resolved.by], ['allowed', 'caller']);
      assert.equal(request.kind, 'execute');
      assert.deepEqual(run.toolKinds, ['execute'], 'the call and what was asked for it');
      assert.ok(bench.exists('approved.txt'), 'the command ran');
      assert.equal(run.of('tool_result').length, 1, run.summary);
    },
  },
  {
    id: 'approval-denied',
    unasserted: ['reasonHidden'],
    title: 'a denied command does not run, and the call ends as denied',
    rank: 'essential',
    shows: ['approvalModes.prompt'],
    needs: has('prompt'),
    async run(bench) {
      bench.replies(bench.shell('touch denied.txt'), 'Not touched.');
      const run = await bench.run({
        prompt: 'Touch a file.',
        approvalMode: 'prompt',
        onApprovalRequest: () => ({ decision: 'deny', message: 'not today' }),
      });
      run.completed();
      assert.ok(!bench.exists('denied.txt'), 'nothing ran');
      const resolved = run.one('approval_resolved');
      assert.deepEqual([resolved.outcome, resolved.by], ['denied', 'caller']);
      assert.equal(run.of('tool_result').length, 0, run.summary);
      assert.equal(run.one('tool_error').denied, true);
      const hasReason = JSON.stringify(bench.request(-1).messages).includes('not today');
      assert.ok(hasReason || !bench.asserts('reasonHidden'), 'the model gets the reason');
      assert.deepEqual([run.one('approval_request').kind, run.one('tool_error').kind], ['execute', 'execute']);
    },
  },
  {
    id: 'approval-timeout',
    title: 'an unanswered command is denied after the timeout',
    shows: ['approvalModes.prompt'],
    needs: has('prompt'),
    async run(bench) {
      bench.replies(bench.shell('touch late.txt'), 'Not touched.');
      const run = await bench.run({ prompt: 'Touch a file.', approvalMode: 'prompt', approvalTimeout: 400 });
      assert.ok(!bench.exists('late.txt'), 'nothing ran');
      const resolved = run.one('approval_resolved');
      assert.deepEqual([resolved.outcome, resolved.by], ['denied', 'timeout']);
      assert.equal(run.of('tool_result').length, 0, run.summary);
    },
  },
  {
    id: 'prompt-safety',
    title: 'by default no file is written without an answer',
    rank: 'vital',
    shows: ['approvalModes.prompt'],
    needs: has('prompt'),
    async run(bench) {
      bench.replies(bench.write(bench.path('unasked.txt'), 'no'), 'Not written.');
      const run = await bench.run({ prompt: 'Write a file.', approvalMode: undefined }, async (event, handle) => {
        if (event.type !== 'approval_request') return;
        assert.equal(handle.pending().length, 1);
        assert.ok(!bench.exists('unasked.txt'), 'the file is not there while the question is open');
        await handle.abort('no answer');
      });
      assert.ok(run.has('approval_request'), `it was asked for: ${run.summary}`);
      assert.equal(run.result.exitReason, 'aborted');
      assert.ok(!bench.exists('unasked.txt'), 'nor when the run is over');
    },
  },
  {
    id: 'harmless-looking',
    title: 'a harmless command needs approval when it writes to a file',
    rank: 'essential',
    shows: ['approvalModes.prompt'],
    needs: has('prompt'),
    async run(bench) {
      bench.replies(bench.shell(HARMLESS_LOOKING), 'Not listed.');
      const run = await bench.run({
        prompt: 'List.',
        onApprovalRequest: () => ({ decision: 'deny' }),
        approvalMode: undefined,
      });
      assert.ok(!bench.exists('listed.txt'), `nothing was written: ${run.summary}`);
      assert.ok(run.has('approval_request'), `it was asked for: ${run.summary}`);
    },
  },
  {
    id: 'plan-safety',
    title: 'in plan mode neither an edit nor a command changes anything',
    rank: 'vital',
    shows: ['approvalModes.plan'],
    needs: has('plan'),
    run: (bench) => changesNothing(bench, 'plan'),
  },
  {
    id: 'deny',
    title: 'in deny mode neither an edit nor a command changes anything, and no approval is requested',
    shows: ['approvalModes.deny'],
    needs: has('deny'),
    async run(bench) {
      await changesNothing(bench, 'deny');
    },
  },
  {
    id: 'accept-edits',
    title: 'in accept-edits mode an edit runs without approval, a command does not',
    shows: ['approvalModes.accept-edits'],
    needs: has('accept-edits'),
    async run(bench) {
      bench.replies(bench.write(bench.path('edited.txt'), 'yes'), bench.shell(COMMAND), 'Done.');
      const run = await bench.run({
        prompt: 'Write and touch.',
        approvalMode: 'accept-edits',
        onApprovalRequest: () => ({ decision: 'deny' }),
      });
      assert.ok(bench.exists('edited.txt'), `the edit passed: ${run.summary}`);
      assert.ok(!bench.exists('commanded.txt'), `the command did not: ${run.summary}`);
      const byCaller = run.of('approval_resolved').filter(({ by }) => by === 'caller');
      assert.ok(byCaller.length <= 1, `at most the command was asked for: ${run.summary}`);
    },
  },
  {
    id: 'yolo',
    title: 'in yolo mode edits and commands run without approval',
    shows: ['approvalModes.yolo'],
    needs: has('yolo'),
    async run(bench) {
      const look = bench.look(bench.put('there.txt', 'there'));
      const edit = bench.write(bench.path('edited.txt'), 'yes');
      bench.replies(...(look ? [look] : []), edit, bench.shell('touch commanded.txt'), 'Done.');
      const run = (await bench.run({ prompt: 'Write and touch.', approvalMode: 'yolo' })).completed();
      if (bench.capabilities.supportsNativeTools)
        assert.deepEqual(run.toolKinds, [...(look ? ['read'] : []), 'edit', 'execute'], run.summary);
      assert.ok(bench.exists('edited.txt'), `the edit passed: ${run.summary}`);
      assert.ok(bench.exists('commanded.txt'), `the command passed: ${run.summary}`);
      assert.deepEqual(asked(run), [], 'no approval was requested');
    },
  },
];

/** Some agents end the turn with the first refusal: then the rest is tried in separate turns. */
async function changesNothing(bench: Bench, approvalMode: ApprovalMode): Promise<void> {
  const attempts = [
    bench.write(bench.path('edited.txt'), 'no'),
    bench.shell('touch commanded.txt'),
    bench.shell(HARMLESS_LOOKING),
  ];
  const runs: RecordedRun[] = [];
  for (let made = 0; made < attempts.length; ) {
    const before = bench.requests.length;
    bench.replies(...attempts.slice(made), 'Nothing done.');
    runs.push(await bench.run({ prompt: 'Change something.', approvalMode }));
    made += Math.max(1, bench.requests.length - before);
  }
  for (const run of runs) {
    for (const name of ['edited.txt', 'commanded.txt', 'listed.txt'])
      assert.ok(!bench.exists(name), `no ${name}: ${run.summary}`);
    assert.deepEqual(asked(run), [], 'the mode alone decided');
    assert.ok(
      !['crashed', 'timeout', 'inactivity'].includes(run.result.exitReason),
      `it ended on its own: ${run.summary}`,
    );
  }
}

const asked = (run: RecordedRun): string[] =>
  run
    .of('approval_resolved')
    .filter(({ by }) => by === 'caller' || by === 'timeout')
    .map(({ by, outcome }) => `${outcome} by ${by}`);
