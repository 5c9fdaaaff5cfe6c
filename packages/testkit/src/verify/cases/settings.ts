import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HELLO, reply } from '../../model/index.ts';
import type { VerifyCase } from '../verify-case.ts';
import { callSecretWord, oddRun, THOUGHT, tour, VERIFY_MCP_SERVER } from './shared-runs.ts';

const CITY = { city: 'Ulm', population: 126_000 };
const CITY_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, population: { type: 'integer' } },
  required: ['city', 'population'],
  additionalProperties: false,
};

/** Options that change the request to the model. */
export const settingCases: readonly VerifyCase[] = [
  {
    id: 'thinking',
    unasserted: ['trimsThoughts'],
    title: 'thinking is separate from text',
    rank: 'vital',
    shares: 'tour',
    shows: ['supportsThinking', 'supportsThinkingStreaming'],
    needs: (capabilities) => capabilities.supportsThinkingStreaming,
    async run(bench) {
      const { run } = await tour(bench);
      run.completed();
      const normalized = (text: string) => (bench.asserts('trimsThoughts') ? text : text.replace(/\s/g, ''));
      assert.ok(normalized(run.thinking).includes(normalized(THOUGHT)), `thought "${run.thinking}": ${run.summary}`);
      assert.equal(run.of('thinking_start').length, run.of('thinking_stop').length);
      const types = run.events.map(({ type }) => type);
      assert.ok(types.indexOf('thinking_stop') < types.indexOf('text_delta'), run.summary);
    },
  },
  {
    id: 'effort',
    title: 'every thinking effort is accepted, and each makes a different request',
    shows: ['thinkingEfforts', 'supportsThinking'],
    timeoutMs: 240_000,
    needs: (capabilities) => capabilities.thinkingEfforts.length > 0,
    async run(bench) {
      const { thinkingEfforts } = bench.capabilities;
      // The modes of an agent share their table of levels: the first runs all of it, the others its ends.
      const levels = bench.isDefaultMode ? thinkingEfforts : [thinkingEfforts[0]!, thinkingEfforts.at(-1)!];
      const asked = new Map<string, string>();
      const { effortModel: model } = bench.setup;
      bench.replies(HELLO);
      for (const thinkingEffort of levels) {
        (await bench.run({ thinkingEffort, ...(model ? { model } : {}) })).completed(HELLO);
        const { effort, thinking } = bench.request(-1);
        asked.set(thinkingEffort, JSON.stringify({ effort, thinking }));
      }
      // The highest levels of some models are the same.
      const different = new Set(asked.values()).size;
      assert.ok(different > Math.floor(levels.length / 2), JSON.stringify([...asked]));
    },
  },
  {
    id: 'effort-refused',
    title: 'an unsupported effort is refused, or the caller is warned',
    shows: ['thinkingEfforts'],
    needs: (capabilities, setup) => capabilities.thinkingEfforts.length > 0 && setup.effortlessModel !== undefined,
    async run(bench) {
      bench.replies(HELLO);
      const run = await bench.run({ thinkingEffort: 'high', model: bench.setup.effortlessModel });
      const warned = run.of('debug').some(({ code }) => code?.startsWith('thinking_effort_'));
      assert.ok(run.result.error?.code === 'CAPABILITY_ERROR' || warned, `nothing was said: ${run.summary}`);
      if (!warned) assert.equal(bench.requests.length, 0, 'the model was not asked');
    },
  },
  {
    id: 'thinking-budget',
    title: 'a thinking budget is in the request',
    shows: ['supportsThinkingBudgetTokens'],
    needs: (capabilities) => capabilities.supportsThinkingBudgetTokens,
    async run(bench) {
      bench.replies(HELLO);
      const { budgetModel: model } = bench.setup;
      (await bench.run({ thinkingBudgetTokens: 2345, ...(model ? { model } : {}) })).completed(HELLO);
      assert.ok(JSON.stringify(bench.request(0).thinking).includes('2345'), JSON.stringify(bench.request(0).thinking));
    },
  },
  {
    id: 'thinking-override',
    title: 'native thinking settings are in the request',
    shows: ['supportsThinkingOverride'],
    needs: (capabilities, setup) => capabilities.supportsThinkingOverride && setup.thinkingOverride !== undefined,
    async run(bench) {
      const { value, seen } = bench.setup.thinkingOverride!;
      bench.replies(HELLO);
      (await bench.run({ thinkingOverride: value })).completed(HELLO);
      assert.ok(JSON.stringify(bench.request(0).body).includes(seen), `no ${seen} in the request`);
    },
  },
  {
    id: 'model',
    title: 'the selected model is used',
    rank: 'essential',
    shares: 'odd run',
    shows: ['supportsModelSelection'],
    needs: (capabilities) => capabilities.supportsModelSelection,
    async run(bench) {
      const { seen } = bench.setup.otherModel;
      const { run, requests } = await oddRun(bench);
      run.completed();
      // A lost option, or an unknown alias, would use the agent's own model.
      assert.equal(requests[0]?.model, seen);
      assert.ok(run.result.model?.includes(seen), `the result names ${run.result.model}`);
    },
  },
  {
    id: 'mcp',
    unasserted: ['tool-output-hidden'],
    title: 'a tool of an MCP server is called and returns its result',
    shows: ['supportsMCP'],
    needs: (capabilities) => capabilities.supportsMCP,
    async run(bench) {
      bench.script(({ tools, toolResults }) => {
        if (toolResults.length > 0) return 'It is pineapple.';
        return callSecretWord(bench, tools) ?? `no such tool among ${tools.join(', ')}`;
      });
      const run = await bench.run({
        prompt: 'What is the word?',
        mcpServers: { verify: VERIFY_MCP_SERVER },
      });
      run.completed();
      assert.ok(run.result.text.endsWith('It is pineapple.'), run.result.text);
      const start = run.one('mcp_tool_call_start');
      assert.deepEqual([start.server, start.toolName, start.kind], ['verify', 'secret_word', 'mcp']);
      const result = run.one('mcp_tool_result');
      assert.equal(result.toolCallId, start.toolCallId);
      if (!bench.warnsOf(run, 'tool-output-hidden')) assert.ok(JSON.stringify(result.output).includes('pineapple'));
      assert.ok(bench.request(-1).toolResults.some(({ output }) => output.includes('pineapple')));
    },
  },
  {
    id: 'skills',
    title: 'a given skill is offered to the model',
    shows: ['supportsSkills'],
    needs: (capabilities) => capabilities.supportsSkills,
    async run(bench) {
      const text = '---\nname: verify-skill\ndescription: SKILL-MARK explains how to fold paper.\n---\nFold twice.\n';
      bench.put('../skills/verify-skill/SKILL.md', text);
      bench.replies(HELLO);
      (await bench.run({ skills: [bench.path('../skills/verify-skill')] })).completed(HELLO);
      assert.ok(JSON.stringify(bench.request(0).body).includes('SKILL-MARK'), 'its description is in the request');
    },
  },
  {
    id: 'structured',
    title: 'a structured answer is in the result, validated',
    shows: ['supportsStructuredOutput'],
    needs: (capabilities) => capabilities.supportsStructuredOutput,
    async run(bench) {
      bench.script(({ tools, toolResults }) => {
        const tool = tools.find((name) => /structured/i.test(name));
        if (toolResults.length > 0) return 'Given.';
        return tool ? reply.toolCall(tool, CITY) : JSON.stringify(CITY);
      });
      const run = (await bench.run({ prompt: 'Name a city.', outputSchema: CITY_SCHEMA })).completed();
      assert.deepEqual(run.result.structured, CITY);
      assert.ok(JSON.stringify(bench.request(0).body).includes('population'), 'the model got the schema');
    },
  },
  {
    id: 'no-session',
    title: 'without a session nothing of the conversation is stored',
    shows: ['canRunWithoutSession'],
    needs: (capabilities) => capabilities.canRunWithoutSession,
    async run(bench) {
      bench.replies('the answer is EPHEMERAL-OUT');
      (await bench.run({ prompt: 'The question is EPHEMERAL-IN.', noSession: true })).completed();
      assert.deepEqual(filesWith(bench.home, /EPHEMERAL-(?:IN|OUT)/), []);
    },
  },
  {
    id: 'question',
    title: 'a question of the agent is answered, and the model gets the answer',
    shows: ['supportsQuestions'],
    needs: (capabilities, setup) => capabilities.supportsQuestions && setup.questionTool !== undefined,
    async run(bench) {
      const { name, input } = bench.setup.questionTool!('Which color?', ['Crimson', 'Teal']);
      bench.replies(reply.toolCall(name, input), 'Teal it is.');
      const { approvalModes } = bench.capabilities;
      const run = await bench.run({
        prompt: 'Ask me.',
        approvalMode: approvalModes.includes('prompt') ? 'prompt' : bench.freeMode,
        onApprovalRequest: () => ({ decision: 'allow' }),
        onInputRequired: ({ questions }) => ({ answers: { [questions[0]!.id]: ['Teal'] } }),
      });
      run.completed();
      const asked = run.one('input_required').questions;
      assert.equal(asked.length, 1);
      assert.ok(asked[0]?.question.includes('Which color?'));
      assert.deepEqual(
        asked[0]?.options.map(({ label }) => label),
        ['Crimson', 'Teal'],
      );
      assert.equal(run.one('input_resolved').outcome, 'answered');
      assert.ok(bench.request(-1).toolResults.some(({ output }) => output.includes('Teal')));
    },
  },
];

function filesWith(folder: string, pattern: RegExp): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => pattern.test(readFileSync(path, 'latin1')))
    .map((path) => path.slice(folder.length + 1));
}
