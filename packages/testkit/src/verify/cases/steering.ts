import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { listProcessTree } from '@agent-mux/core';
import { HELLO, reply } from '../../model/index.ts';
import { always, type VerifyCase } from '../verify-case.ts';

/** Interaction with a running run. */
export const steeringCases: readonly VerifyCase[] = [
  {
    id: 'interrupt',
    unasserted: ['interrupted-turn-forgotten'],
    title: 'an interrupted turn ends at once, and the session runs another one',
    rank: 'essential',
    shows: ['supportsInterrupt'],
    needs: (capabilities) => capabilities.supportsInterrupt,
    async run(bench) {
      bench.script(({ turn, prompt }) =>
        turn > 0 || prompt.includes('Another') ? 'after the interrupt' : reply.chunks(2000, { delayMs: 20 }),
      );
      const further = bench.capabilities.supportsMultiTurn;
      let interruptedAfterMs = 0;
      let done = false;
      const { supportsTextStreaming } = bench.capabilities;
      const run = await bench.run({ prompt: 'Talk for long.' }, async (event, handle) => {
        if (event.type !== (supportsTextStreaming ? 'text_delta' : 'turn_start') || done) return;
        done = true;
        // Without deltas only the model shows that the turn is running.
        if (!supportsTextStreaming) await bench.asked();
        const from = performance.now();
        await handle.interrupt();
        interruptedAfterMs = performance.now() - from;
        if (further) await handle.send('Another question.');
      });
      assert.ok(run.has('interrupted'), run.summary);
      assert.ok(interruptedAfterMs < 5000, `it took ${interruptedAfterMs} ms`);
      assert.equal(run.of('turn_end')[0]?.status, 'interrupted', run.summary);
      if (!further) {
        assert.equal(run.result.exitReason, 'interrupted');
        return;
      }
      run.completed('after the interrupt');
      if (bench.warnsOf(run, 'interrupted-turn-forgotten')) return;
      assert.ok(bench.request(-1).messages.some((message) => message.text.includes('Talk for long.')));
    },
  },
  {
    id: 'steer',
    title: 'steering text reaches the model in the running turn',
    shows: ['supportsSteer'],
    needs: (capabilities) => capabilities.supportsSteer,
    async run(bench) {
      bench.script((request) => {
        if (request.messages.some((message) => message.text.includes('STEER-42'))) return 'steered to 42';
        return request.toolResults.length === 0 ? bench.shell('sleep 2; echo slept') : 'not steered yet';
      });
      let steered = false;
      const run = await bench.run({ prompt: 'Sleep a while.' }, async (event, handle) => {
        if (event.type !== 'tool_call_ready' || steered) return;
        steered = true;
        await handle.steer('STEER-42: do this instead');
      });
      run.completed();
      const said = run.of('text_delta').map(({ delta }) => delta);
      assert.ok(said.join('').includes('steered to 42'), run.summary);
    },
  },
  {
    id: 'abort',
    unasserted: ['keepsDetached'],
    title: 'after an abort no process of the agent is left, whatever its tools have started',
    rank: 'vital',
    shows: [],
    needs: always,
    alone: true,
    async run(bench) {
      // One child in the tool's shell, and one that has left its session, group and parent.
      const detached = bench.asserts('keepsDetached') ? 'setsid sleep 4242 & ' : '';
      bench.replies(bench.shell(`${detached}sleep 4243`), HELLO);
      const handle = bench.start({ prompt: 'Sleep forever.' });
      const reading = bench.read(handle);
      // Not detected by an event: some agents show a call only when it has ended.
      await until(() => bench.processes().some(({ command }) => command.startsWith('sleep 4243')));
      const result = await handle.abort('enough');
      assert.deepEqual(listProcessTree(-1, result.runId), [], 'nothing carries the id of the run');
      // Processes of the keeper itself (a shared server, its reaper) end with the keeper, after its last session.
      if (bench.carrier === 'daemon') await until(() => bench.processes().length === 0);
      const left = bench.processes().map(({ pid, command }) => `${pid} ${command}`);
      assert.equal(left.length, 0, `processes of the agent are left after abort(): ${left.join(', ')}`);
      const run = await reading;
      assert.equal(run.result.exitReason, 'aborted');
      assert.ok(run.has('aborted'));
    },
  },
  {
    id: 'set-model',
    title: 'the model of a running session can be changed between two turns',
    shows: ['supportsModelSwitch'],
    needs: (capabilities) => capabilities.supportsModelSwitch && capabilities.supportsMultiTurn,
    async run(bench) {
      bench.replies('from the first', 'from the second');
      let changed = false;
      const run = await bench.run({}, async (event, handle) => {
        if (event.type !== 'turn_end' || changed) return;
        changed = true;
        await handle.setModel(bench.setup.otherModel.name);
        await handle.send('And now?');
      });
      run.completed('from the second');
      // Two models that requests distinguish: a lost or early switch is detected.
      assert.equal(bench.request(0).model, bench.setup.model.seen);
      assert.equal(bench.request(-1).model, bench.setup.otherModel.seen);
    },
  },
  {
    id: 'set-approval-mode',
    title: 'the approval mode of a running session can be changed between two turns',
    shows: ['supportsModeSwitch'],
    needs: ({ supportsModeSwitch, supportsMultiTurn, approvalModes }) =>
      supportsModeSwitch && supportsMultiTurn && approvalModes.includes('prompt') && approvalModes.includes('yolo'),
    async run(bench) {
      bench.script(({ turn, toolResults }) => {
        if (toolResults.length > 0) return 'done';
        return bench.shell(turn === 0 ? 'touch asked.txt' : 'touch unasked.txt');
      });
      let changed = false;
      const run = await bench.run(
        { prompt: 'Touch.', approvalMode: 'prompt', onApprovalRequest: () => ({ decision: 'deny' }) },
        async (event, handle) => {
          if (event.type !== 'turn_end' || changed) return;
          changed = true;
          await handle.setApprovalMode('yolo');
          await handle.send('Touch again.');
        },
      );
      run.completed();
      assert.ok(!bench.exists('asked.txt'), run.summary);
      assert.ok(bench.exists('unasked.txt'), run.summary);
    },
  },
];

/** The case's own timeout ends it. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(50);
}
