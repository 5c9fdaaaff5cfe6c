import assert from 'node:assert/strict';
import type { ApprovalMode } from '@agent-mux/core';
import type { Bench } from '../bench.ts';
import type { VerifyCase } from '../verify-case.ts';

/** Many CLIs store permissions and model with the session: the options of the resuming run must win. */
export const resumeSettingCases: readonly VerifyCase[] = [
  {
    id: 'resume-permissions',
    title: 'a resumed session has the permissions of the resuming run, not the stored ones',
    rank: 'vital',
    shows: ['canResume', 'approvalModes.yolo'],
    timeoutMs: 240_000,
    needs: ({ canResume, approvalModes }) => canResume && approvalModes.includes('yolo') && approvalModes.length > 1,
    async run(bench) {
      const strict = bench.strictest;
      assert.notEqual(strict, 'yolo');
      const sessionId = await touches(bench, 'yolo', 'first.txt');
      await touches(bench, strict, 'second.txt', sessionId);
      await touches(bench, 'yolo', 'third.txt', sessionId);
    },
  },
  {
    id: 'resume-model',
    title: 'a session resumed with another model uses and reports it',
    shows: ['canResume', 'supportsModelSelection'],
    timeoutMs: 180_000,
    needs: ({ canResume, supportsModelSelection }) => canResume && supportsModelSelection,
    async run(bench) {
      const { model, otherModel } = bench.setup;
      bench.replies('one', 'two', 'three');
      const first = (await bench.run({ prompt: 'One.', model: otherModel.name })).completed();
      const { sessionId } = first;
      const second = (await bench.run({ prompt: 'Two.', model: otherModel.name, sessionId })).completed();
      const third = (await bench.run({ prompt: 'Three.', model: model.name, sessionId })).completed();
      const asked = bench.requests.map((request) => request.model);
      assert.deepEqual(asked, [otherModel.seen, otherModel.seen, model.seen]);
      assert.ok(
        bench.request(-1).messages.some(({ text }) => text.includes('Two.')),
        'it is the same conversation',
      );
      // Another name for the same model would look like a changed session.
      const [before, same, changed] = [first, second, third].map((run) => run.one('session_start').model);
      assert.equal(same, before, 'a model has one name');
      assert.ok(changed === undefined || changed !== before, `another model has the name ${before} too`);
    },
  },
];

/**
 * A command in a mode: it runs without asking under `yolo`, and under any stricter mode it does not run without an
 * answer.
 */
async function touches(bench: Bench, approvalMode: ApprovalMode, file: string, sessionId?: string): Promise<string> {
  bench.replies(bench.shell(`sh -c "id > ${file}"`), 'Done.');
  const run = await bench.run({
    prompt: `Make ${file}.`,
    approvalMode,
    onApprovalRequest: () => ({ decision: 'deny' }),
    ...(sessionId === undefined ? {} : { sessionId }),
  });
  const asked = run.of('approval_request').length;
  const label = `${approvalMode} after ${sessionId === undefined ? 'nothing' : 'the other'}: ${run.summary}`;
  assert.equal(bench.exists(file), approvalMode === 'yolo', label);
  assert.equal(asked > 0, approvalMode === 'prompt', label);
  return run.sessionId;
}
