import assert from 'node:assert/strict';
import { reply } from '../../model/index.ts';
import type { Bench } from '../bench.ts';
import type { VerifyCase } from '../verify-case.ts';
import { tour } from './shared-runs.ts';

/** The agent's own tools, with their effects on real files. */
export const toolCases: readonly VerifyCase[] = [
  {
    id: 'tool',
    unasserted: ['tool-output-hidden'],
    title: 'a command runs, its effect is there, and caller and model see its output',
    rank: 'vital',
    shares: 'tour',
    shows: ['supportsNativeTools', 'supportsToolInputStreaming', 'supportsActivityStreaming'],
    needs: (capabilities) => capabilities.supportsNativeTools,
    async run(bench) {
      const { run, requests, made } = await tour(bench);
      run.completed();
      assert.ok(run.result.text.endsWith('I have looked.'), run.result.text);
      assert.equal(made, 'made-by-tool');
      const ready = run.one('tool_call_ready');
      const result = run.one('tool_result');
      assert.equal(run.one('tool_call_start').toolCallId, ready.toolCallId);
      assert.equal(result.toolCallId, ready.toolCallId);
      assert.deepEqual([run.one('tool_call_start').kind, ready.kind, result.kind], ['execute', 'execute', 'execute']);
      assert.deepEqual(bench.unclassified(requests[0]?.tools ?? []), [], 'tools that toolKinds does not name');
      assert.ok(JSON.stringify(ready.input).includes('made.txt'), `input was ${JSON.stringify(ready.input)}`);
      if (!bench.warnsOf(run, 'tool-output-hidden')) assert.ok(JSON.stringify(result.output).includes('made-by-tool'));
      assert.ok(requests.at(-1)?.toolResults.some(({ output }) => output.includes('made-by-tool')));
      // Another request is between a call and the final text: live events have other times.
      if (bench.capabilities.supportsActivityStreaming)
        assert.ok(ready.timestamp < run.one('turn_end').timestamp, 'the call is emitted during the turn');
      if (bench.capabilities.supportsToolInputStreaming) {
        const streamed = run.of('tool_input_delta').map((event) => event.delta);
        assert.deepEqual(JSON.parse(streamed.join('')), ready.input);
      }
    },
  },
  {
    id: 'tool-error',
    unasserted: ['tool-failure-hidden'],
    title: 'a failed command is reported as such, and the run continues',
    rank: 'essential',
    shows: ['supportsNativeTools'],
    needs: (capabilities) => capabilities.supportsNativeTools,
    async run(bench) {
      bench.replies(bench.shell('echo broken-tool >&2; exit 3'), 'It is broken.');
      const run = (await bench.run({ prompt: 'Break something.' })).completed();
      assert.ok(run.result.text.endsWith('It is broken.'));
      const ends = [...run.of('tool_error'), ...run.of('tool_result')];
      assert.equal(ends.length, 1, run.summary);
      const [end] = ends;
      assert.equal(end?.kind, 'execute');
      const isReported = end?.type === 'tool_error' || end?.exitCode === 3;
      assert.ok(isReported || bench.warnsOf(run, 'tool-failure-hidden'), `reported as ${JSON.stringify(end)}`);
      assert.ok(bench.request(-1).toolResults.some(({ output }) => output.includes('broken-tool')));
    },
  },
  {
    id: 'parallel-tools',
    unasserted: ['tool-output-hidden'],
    title: 'two calls of one answer both run, each joined to its own result',
    shows: ['supportsParallelToolCalls'],
    needs: (capabilities) => capabilities.supportsParallelToolCalls,
    async run(bench) {
      const first = bench.shell('printf one > one.txt && cat one.txt');
      bench.replies(bench.shell('printf two > two.txt && cat two.txt', first), 'Both are there.');
      const run = (await bench.run({ prompt: 'Make two files.' })).completed();
      assert.deepEqual([bench.text('one.txt'), bench.text('two.txt')], ['one', 'two']);
      const results = run.of('tool_result');
      assert.equal(results.length, 2, run.summary);
      for (const ready of run.of('tool_call_ready')) {
        const word = JSON.stringify(ready.input).includes('one.txt') ? 'one' : 'two';
        const result = results.find(({ toolCallId }) => toolCallId === ready.toolCallId);
        if (!bench.warnsOf(run, 'tool-output-hidden')) assert.ok(JSON.stringify(result?.output).includes(word));
      }
      // Some agents show the model two calls of one answer as two answers.
      assert.equal(bench.request(-1).messages.flatMap(({ toolResults }) => toolResults).length, 2);
    },
  },
  {
    id: 'allowed-tools',
    title: 'an allowed tool runs without approval, another one does not',
    shows: ['supportsAllowedTools'],
    needs: (capabilities) => capabilities.supportsAllowedTools,
    async run(bench) {
      const { shell, write } = namesOf(bench);
      const path = bench.path('not-allowed.txt');
      bench.replies(bench.shell('touch allowed.txt'), bench.write(path, 'no'), 'Done.');
      const run = await bench.run({
        prompt: 'Use tools.',
        allowedTools: [shell],
        approvalMode: bench.strictest,
        onApprovalRequest: () => ({ decision: 'deny' }),
      });
      assert.ok(bench.exists('allowed.txt'), `${shell} was allowed: ${run.summary}`);
      const asked = run.of('approval_request').filter(({ toolName }) => toolName === shell);
      assert.equal(asked.length, 0, 'no approval was requested for the allowed tool');
      assert.ok(!bench.exists('not-allowed.txt'), `${write} was not allowed: ${run.summary}`);
    },
  },
  {
    id: 'denied-tools',
    title: 'a denied tool does not run, though everything else would',
    shows: ['supportsDeniedTools'],
    needs: (capabilities) => capabilities.supportsDeniedTools,
    async run(bench) {
      const { shell } = namesOf(bench);
      bench.replies(bench.shell('touch denied.txt'), bench.write(bench.path('free.txt'), 'yes'), 'Done.');
      const run = await bench.run({ prompt: 'Use tools.', deniedTools: [shell] });
      assert.ok(!bench.exists('denied.txt'), `${shell} was denied: ${run.summary}`);
      assert.ok(bench.exists('free.txt'), `the other tool still runs: ${run.summary}`);
    },
  },
  {
    id: 'add-dirs',
    title: 'an additional folder is writable',
    shows: ['supportsAddDirs'],
    needs: (capabilities) => capabilities.supportsAddDirs,
    async run(bench) {
      const folder = bench.siblingFolder('further');
      bench.replies(bench.write(`${folder}/there.txt`, 'written'), 'Written.');
      const approvalMode = bench.capabilities.approvalModes.includes('accept-edits') ? 'accept-edits' : bench.freeMode;
      const run = await bench.run({ prompt: 'Write there.', addDirs: [folder], approvalMode });
      run.completed();
      assert.equal(run.of('approval_request').length, 0, 'no approval was requested');
      assert.equal(bench.text('../further/there.txt').trim(), 'written');
    },
  },
  {
    id: 'subagent',
    title: 'a subagent starts, answers and ends',
    shows: ['supportsSubagents'],
    needs: (capabilities, setup) => capabilities.supportsSubagents && setup.subagentTool !== undefined,
    async run(bench) {
      const task = 'SUBTASK-7: count the files';
      const start = bench.setup.subagentTool!(task);
      bench.script((request) => {
        const own = request.messages.some((message) => message.toolCalls.some(({ name }) => name === start.name));
        if (request.prompt.includes('SUBTASK-7') && !own) return 'there are seven files';
        return request.toolResults.length === 0 && !own
          ? reply.toolCall(start.name, start.input)
          : 'The subagent is done.';
      });
      const run = (await bench.run({ prompt: 'Let a subagent count.' })).completed();
      const started = run.one('subagent_start');
      const ended = run.one('subagent_end');
      assert.equal(ended.subagentId, started.subagentId);
      assert.equal(ended.status, 'completed');
      assert.ok(bench.requests.some(({ prompt }) => prompt.includes('SUBTASK-7')));
      assert.ok(run.result.text.includes('The subagent is done.'), run.result.text);
    },
  },
];

function namesOf({ setup }: Bench): { shell: string; write: string } {
  return setup.toolNames ?? { shell: setup.shellTool('').name, write: setup.writeTool('', '').name };
}
