import assert from 'node:assert/strict';
import {
  type AgentCapabilities,
  APPROVAL_MODES,
  CapabilityError,
  type RunHandle,
  SYSTEM_PROMPT_MODES,
  THINKING_EFFORTS,
} from '@agent-mux/core';
import { HELLO } from '../../model/index.ts';
import type { Bench, BenchRunOptions } from '../bench.ts';
import { always, type VerifyCase } from '../verify-case.ts';

interface Refusal {
  option: string;
  declared(capabilities: AgentCapabilities): boolean;
  /** The options that need it. */
  given(bench: Bench): BenchRunOptions;
}

const plain = (option: string, field: keyof AgentCapabilities, given: BenchRunOptions): Refusal => ({
  option,
  declared: (capabilities) => capabilities[field] === true,
  given: () => given,
});

const REFUSALS: readonly Refusal[] = [
  plain('sessionId', 'canResume', { sessionId: 'x' }),
  plain('forkSessionId', 'canFork', { forkSessionId: 'x' }),
  plain('noSession', 'canRunWithoutSession', { noSession: true }),
  plain('interactive', 'supportsMultiTurn', { interactive: true }),
  plain('model', 'supportsModelSelection', { model: 'x' }),
  plain('thinkingBudgetTokens', 'supportsThinkingBudgetTokens', { thinkingBudgetTokens: 1024 }),
  plain('thinkingOverride', 'supportsThinkingOverride', { thinkingOverride: { type: 'enabled' } }),
  plain('outputSchema', 'supportsStructuredOutput', { outputSchema: { type: 'object' } }),
  plain('mcpServers', 'supportsMCP', { mcpServers: { verify: { command: 'true' } } }),
  plain('allowedTools', 'supportsAllowedTools', { allowedTools: ['x'] }),
  plain('deniedTools', 'supportsDeniedTools', { deniedTools: ['x'] }),
  plain('maxTurns', 'supportsMaxTurns', { maxTurns: 3 }),
  { option: 'addDirs', declared: (c) => c.supportsAddDirs, given: (bench) => ({ addDirs: [bench.cwd] }) },
  { option: 'skills', declared: (c) => c.supportsSkills, given: (bench) => ({ skills: [bench.cwd] }) },
  {
    option: 'attachments (image)',
    declared: (c) => c.supportsImageInput || c.supportsFileAttachments,
    given: (bench) => ({ attachments: [{ path: bench.put('x.png', 'x') }] }),
  },
  {
    option: 'attachments (file)',
    declared: (c) => c.supportsFileAttachments,
    given: (bench) => ({ attachments: [{ path: bench.put('x.txt', 'x') }] }),
  },
  ...THINKING_EFFORTS.map(
    (thinkingEffort): Refusal => ({
      option: `thinkingEffort ${thinkingEffort}`,
      declared: (c) => c.thinkingEfforts.includes(thinkingEffort),
      given: () => ({ thinkingEffort }),
    }),
  ),
  ...SYSTEM_PROMPT_MODES.map(
    (systemPromptMode): Refusal => ({
      option: `systemPromptMode ${systemPromptMode}`,
      declared: (c) => c.systemPrompt[systemPromptMode] !== undefined,
      given: () => ({ systemPrompt: 'x', systemPromptMode }),
    }),
  ),
  ...APPROVAL_MODES.map(
    (approvalMode): Refusal => ({
      option: `approvalMode ${approvalMode}`,
      declared: (c) => c.approvalModes.includes(approvalMode),
      given: () => ({ approvalMode }),
    }),
  ),
];

const HANDLE_REFUSALS: readonly {
  method: string;
  declared(capabilities: AgentCapabilities): boolean;
  call(handle: RunHandle): Promise<void>;
}[] = [
  { method: 'send', declared: (c) => c.supportsMultiTurn, call: (handle) => handle.send('x') },
  { method: 'steer', declared: (c) => c.supportsSteer, call: (handle) => handle.steer('x') },
  { method: 'interrupt', declared: (c) => c.supportsInterrupt, call: (handle) => handle.interrupt() },
  { method: 'setModel', declared: (c) => c.supportsModelSwitch, call: (handle) => handle.setModel('x') },
  {
    method: 'setApprovalMode',
    declared: (c) => c.supportsModeSwitch,
    call: (handle) => handle.setApprovalMode('yolo'),
  },
];

export const refusedCase: VerifyCase = {
  id: 'refused',
  title: 'undeclared options are refused before anything starts',
  rank: 'vital',
  shows: [],
  needs: always,
  async run(bench) {
    for (const { option, declared, given } of REFUSALS) {
      if (declared(bench.capabilities)) continue;
      const options = { ...bench.options({}), ...given(bench) };
      const refusal = await bench.refusalOf(options);
      assert.equal(refusal?.code, 'CAPABILITY_ERROR', `${option} is not declared and was not refused: ${refusal}`);
    }
    assert.deepEqual(bench.processes(), [], 'nothing was started');
    assert.equal(bench.requests.length, 0, 'the model was not asked');

    const undeclared = HANDLE_REFUSALS.filter(({ declared }) => !declared(bench.capabilities));
    // The daemon relaunches a session for a further turn, and for a change of model or mode.
    if (undeclared.length === 0 || bench.carrier === 'daemon') return;
    bench.replies(HELLO);
    let tried = false;
    const run = await bench.run({}, async (event, handle) => {
      if (event.type !== 'turn_start' || tried) return;
      tried = true;
      for (const { method, call } of undeclared) {
        await assert.rejects(call(handle), CapabilityError, `${method}() is not declared and was not refused`);
      }
    });
    run.completed(HELLO);
  },
};
