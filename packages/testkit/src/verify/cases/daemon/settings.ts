import assert from 'node:assert/strict';
import type { Bench } from '../../bench.ts';
import type { VerifyCase } from '../../verify-case.ts';
import { DAEMON_CASE } from './daemon-case.ts';
import { answerByName, assertKnows, DrivenSession, requestOf } from './driven-session.ts';

/** What a session is set to while it has no process. */
export const sessionSettingCases: readonly VerifyCase[] = [
  {
    ...DAEMON_CASE,
    id: 'permission-after-restore',
    title: 'a session set from yolo to prompt asks again after restore, and runs unasked when set back',
    rank: 'vital',
    needs: ({ approvalModes, canResume }) =>
      canResume && approvalModes.includes('prompt') && approvalModes.includes('yolo'),
    async run(bench) {
      bench.script(({ prompt, toolResults }) => {
        const name = [...prompt.matchAll(/Touch (\w+)\.txt/g)].at(-1)?.[1];
        return name !== undefined && toolResults.length === 0 ? bench.shell(`touch ${name}.txt`) : 'Done.';
      });
      const { session, messageId } = await DrivenSession.create(bench, 'Touch first.txt now.', {
        approvalMode: 'yolo',
      });
      await unasked(bench, session, { name: 'first', messageId });
      await setWhileStopped(session, { approvalMode: 'prompt' });
      await asked(bench, session, { name: 'second', messageId: await session.send('Touch second.txt now.') });
      await setWhileStopped(session, { approvalMode: 'yolo' });
      await unasked(bench, session, { name: 'third', messageId: await session.send('Touch third.txt now.') });
    },
  },
  {
    ...DAEMON_CASE,
    id: 'model-after-restore',
    title: 'the model that a stopped session is set to answers after restore, both ways',
    rank: 'essential',
    needs: ({ supportsModelSelection, canResume }) => canResume && supportsModelSelection,
    async run(bench) {
      const { model, otherModel } = bench.setup;
      bench.script(answerByName);
      const session = await DrivenSession.start(bench, 'one');
      await setWhileStopped(session, { model: otherModel.name });
      await session.ask('two');
      await setWhileStopped(session, { model: model.name });
      await session.ask('three');
      const models = ['one', 'two', 'three'].map((name) => requestOf(bench, name)?.model);
      assert.deepEqual(models, [model.seen, otherModel.seen, model.seen]);
      assertKnows(bench, 'three', ['one', 'two']);
    },
  },
];

async function setWhileStopped(
  session: DrivenSession,
  patch: { model?: string; approvalMode?: string },
): Promise<void> {
  await session.calls.stop(session.id);
  await session.calls.update(session.id, patch);
  await session.calls.restore(session.id);
}

interface Touch {
  name: string;
  messageId: string;
}

async function unasked(bench: Bench, session: DrivenSession, { name, messageId }: Touch): Promise<void> {
  await session.until(`${name}.txt is touched without a request`, async () => {
    assert.deepEqual(await session.openRequests(), [], `in yolo mode it asked before it touched ${name}.txt`);
    return bench.exists(`${name}.txt`);
  });
  await session.done(messageId);
}

async function asked(bench: Bench, session: DrivenSession, { name, messageId }: Touch): Promise<void> {
  const request = await session.until(`it asks before it touches ${name}.txt`, async () => {
    assert.ok(!bench.exists(`${name}.txt`), `${name}.txt was touched without a request`);
    const [open] = await session.openRequests();
    if (open) return open;
    const { state } = await session.message(messageId);
    assert.notEqual(state, 'completed', `the turn has ended, and nothing was asked`);
    return undefined;
  });
  await session.deny(request);
  await session.ended(messageId);
  assert.ok(!bench.exists(`${name}.txt`), `${name}.txt was touched although it was denied`);
}
