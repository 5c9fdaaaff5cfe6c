import { describe, expect, it } from 'vitest';
import { FakeAmux } from '../../test/fake-amux.ts';
import { HOOKS } from './hooks.ts';

/** Payloads that scripts of 3.0.65 receive. */
const BASE = {
  clineVersion: '',
  timestamp: '2026-11-17T14:49:47.208Z',
  taskId: 'conv_1794926987198_k8pbzkz',
  sessionContext: { rootSessionId: '1794926987128_7483f' },
  workspaceRoots: ['/workspace'],
  workspaceInfo: { rootPath: '/workspace', hint: 'workspace' },
  userId: 'dev',
  agent_id: 'agent_1794926987177_jp7ntp',
  parent_agent_id: null,
};
const ABOUT = { agentSessionId: '1794926987128_7483f', cwd: '/workspace' };

describe('hooks of cline', () => {
  it.each([
    ['TaskStart', { hookName: 'agent_start', taskStart: { taskMetadata: {} } }, { state: 'active' }],
    [
      'UserPromptSubmit',
      { hookName: 'prompt_submit', userPromptSubmit: { prompt: 'Say hello.', attachments: [] } },
      { state: 'active', prompt: 'Say hello.' },
    ],
    [
      'PreToolUse',
      { hookName: 'tool_call', iteration: 1, preToolUse: { toolName: 'run_commands', parameters: {} } },
      { state: 'active' },
    ],
    [
      'TaskComplete',
      { hookName: 'agent_end', turn: { outputText: 'Hello.', status: 'completed' }, taskComplete: {} },
      { state: 'idle', answer: 'Hello.' },
    ],
    ['TaskError', { hookName: 'agent_error', error: { message: 'no' } }, { state: 'idle' }],
    ['SessionShutdown', { hookName: 'session_shutdown', reason: 'quit' }, { state: 'exited' }],
  ])('%s', (event, more, report) => {
    expect(HOOKS.read(event, { ...BASE, ...more })).toEqual({ ...ABOUT, ...report });
  });

  it('keeps the session active when a subagent ends', () => {
    const payload = { ...BASE, parent_agent_id: 'agent_1', turn: { outputText: 'Done.' } };
    expect(HOOKS.read('TaskComplete', payload)).toEqual({ agentSessionId: ABOUT.agentSessionId });
  });

  it('ignores a payload of another kind', () => {
    expect(HOOKS.read('toString', { sessionContext: 7, workspaceRoots: 'x', turn: [] })).toEqual({});
  });

  it('prints nothing and succeeds, even without amux', async () => {
    using amux = new FakeAmux();
    const { file } = HOOKS;
    if (file.shape !== 'scripts') throw new Error('they are scripts');
    const script = (command: string) => amux.write(file.fileOf({ name: 'PreToolUse' }), file.text(command));
    const silent = { stdout: '', stderr: '' };
    expect(await amux.run('bash', script('no-such-program hooks cline PreToolUse'))).toEqual(silent);
    expect(await amux.run('bash', script('echo {\\"cancel\\":true}'))).toEqual(silent);
  });
});
