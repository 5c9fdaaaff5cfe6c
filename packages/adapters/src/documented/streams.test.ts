import type { AgentAdapter, EventBody } from '@agent-mux/core';
import { assertDeterministic, replayOneshot } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { agyAdapter } from '../agy/index.ts';
import { aiderAdapter } from '../aider/index.ts';
import { ampAdapter } from '../amp/index.ts';
import { cursorAdapter } from '../cursor/index.ts';
import { rooAdapter } from '../roo/index.ts';
import { vibeAdapter } from '../vibe/index.ts';

/** Lines in the documented format of the agent. */
function events(adapter: AgentAdapter, mode: string, lines: readonly (object | string)[]): EventBody[] {
  const printed = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  return assertDeterministic((options) =>
    replayOneshot(adapter, printed, { ...options, exit: { code: 0, signal: null }, options: { mode, runId: 'r1' } }),
  );
}
const textOf = (seen: readonly EventBody[]) =>
  seen.map((event) => (event.type === 'text_delta' ? event.delta : '')).join('');

describe('cursor-agent --print --output-format stream-json', () => {
  const assistant = (text: string) => ({ type: 'assistant', message: { content: [{ type: 'text', text }] } });
  const call = { type: 'tool_call', call_id: 'toolu_1' };
  const read = { args: { path: 'README.md' } };

  it('emits the session, the text, a tool and the end', () => {
    const seen = events(cursorAdapter, 'stream-json', [
      { type: 'system', subtype: 'init', session_id: 'c6b6', model: 'Auto', cwd: '/p', permissionMode: 'default' },
      { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'Read it' }] } },
      assistant('I read the file.'),
      { ...call, subtype: 'started', tool_call: { readToolCall: read } },
      {
        ...call,
        subtype: 'completed',
        tool_call: { readToolCall: { ...read, result: { success: { content: '# Project' } } } },
      },
      assistant('It is a project.'),
      { type: 'result', subtype: 'success', is_error: false, result: 'It is a project.', session_id: 'c6b6' },
    ]);
    expect(seen.map(({ type }) => type)).toEqual([
      'session_start',
      'message_start',
      'text_delta',
      'message_stop',
      'tool_call_start',
      'tool_call_ready',
      'tool_result',
      'message_start',
      'text_delta',
      'message_stop',
      'turn_end',
    ]);
    expect(seen[0]).toMatchObject({ sessionId: 'c6b6', model: 'Auto', permissionMode: 'default' });
    expect(seen[5]).toMatchObject({ toolName: 'read', input: { path: 'README.md' } });
    expect(seen[6]).toMatchObject({ output: { content: '# Project' } });
    expect(seen.at(-1)).toMatchObject({ status: 'completed' });
  });

  it('reports a refused tool as denied and emits thinking', () => {
    const seen = events(cursorAdapter, 'stream-json', [
      { type: 'thinking', subtype: 'delta', text: 'Hm.' },
      { type: 'thinking', subtype: 'completed' },
      { ...call, subtype: 'started', tool_call: { shellToolCall: { args: { command: 'ls' } } } },
      { ...call, subtype: 'completed', tool_call: { shellToolCall: { result: { rejected: { reason: 'no' } } } } },
    ]);
    expect(seen).toContainEqual({ type: 'thinking_delta', delta: 'Hm.' });
    expect(seen.at(-1)).toMatchObject({ type: 'tool_error', toolName: 'shell', denied: true });
  });
});

describe('amp --execute --stream-json', () => {
  it('prints the format of Claude', () => {
    const seen = events(ampAdapter, 'execute', [
      { type: 'system', subtype: 'init', cwd: '/p', session_id: 'T-1', tools: ['Bash'], mcp_servers: [] },
      { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'list' }] }, session_id: 'T-1' },
      {
        type: 'assistant',
        message: { role: 'assistant', content: [{ type: 'tool_use', id: 'tu', name: 'Bash', input: { cmd: 'ls' } }] },
      },
      {
        type: 'user',
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'tu', content: 'a', is_error: false }] },
      },
      { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'One file.' }] } },
      { type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: 'One file.', session_id: 'T-1' },
    ]);
    expect(seen[0]).toMatchObject({ type: 'session_start', sessionId: 'T-1' });
    expect(seen).toContainEqual(expect.objectContaining({ type: 'tool_result', toolName: 'Bash', output: 'a' }));
    expect(textOf(seen)).toBe('One file.');
    expect(seen.at(-1)).toMatchObject({ type: 'turn_end', status: 'completed' });
  });

  it('reports the reason of a failure, which is in a separate field', () => {
    const error = 'Out of credits';
    const result = { type: 'result', subtype: 'error_during_execution', is_error: true, error, session_id: 'T-1' };
    const seen = events(ampAdapter, 'execute', [result]);
    expect(seen).toContainEqual(expect.objectContaining({ type: 'error', message: error }));
    expect(seen.at(-1)).toMatchObject({ type: 'turn_end', status: 'failed' });
  });
});

describe('agy --print --output-format stream-json', () => {
  const step = (body: object) => ({ event: 'step_update', step_update: { conversation_id: 'k', ...body } });
  const init = { event: 'init', conversation_id: 'k', init: { model: 'gemini-3', permission_mode: 'plan' } };

  it('emits the conversation, the answer in pieces, a tool and the usage', () => {
    const tool = { step_index: 1, step_type: 'tool', tool_name: 'view_file' };
    const seen = events(agyAdapter, 'print', [
      init,
      step({ step_index: 0, step_type: 'user_input', state: 'DONE', text_delta: 'the prompt' }),
      step({ ...tool, state: 'ACTIVE', tool_info: { parameters: { path: 'a' } } }),
      step({ ...tool, state: 'DONE', tool_info: { output: 'text of a' } }),
      step({ step_index: 2, step_type: 'agent_response', state: 'ACTIVE', text_delta: 'He' }),
      step({ step_index: 2, state: 'DONE', text_delta: 'llo' }),
      {
        event: 'result',
        result: { status: 'SUCCESS', response: 'Hello', usage: { input_tokens: 7, output_tokens: 2, total_tokens: 9 } },
      },
    ]);
    expect(seen[0]).toEqual({ type: 'session_start', sessionId: 'k', model: 'gemini-3' });
    expect(textOf(seen)).toBe('Hello');
    expect(seen).toContainEqual(
      expect.objectContaining({ type: 'tool_call_ready', toolName: 'view_file', input: { path: 'a' } }),
    );
    expect(seen).toContainEqual(expect.objectContaining({ type: 'tool_result', output: 'text of a' }));
    expect(seen.find(({ type }) => type === 'cost')).toMatchObject({ scope: 'turn', usage: { inputTokens: 7 } });
    expect(seen.at(-1)).toEqual({ type: 'turn_end', status: 'completed' });
  });

  it('reads an unstreamed answer from the result, and a failure from a result without success', () => {
    const done = events(agyAdapter, 'print', [
      init,
      { event: 'result', result: { status: 'SUCCESS', response: 'Hi' } },
    ]);
    expect(textOf(done)).toBe('Hi');
    const failed = { event: 'result', result: { status: 'ERROR', error: 'quota exhausted' } };
    expect(events(agyAdapter, 'print', [init, failed]).slice(-2)).toMatchObject([
      { type: 'rate_limit_error' },
      { type: 'turn_end', status: 'failed' },
    ]);
  });
});

describe('vibe --prompt --output streaming', () => {
  it('emits the assistant and tool messages of the conversation', () => {
    const call = { id: 'c1', index: 0, function: { name: 'bash', arguments: '{"command":"ls"}' }, type: 'function' };
    const seen = events(vibeAdapter, 'programmatic', [
      { role: 'system', content: 'You are Vibe.' },
      { role: 'user', content: 'list', message_id: 'm0' },
      { role: 'assistant', content: '', reasoning_content: 'A list.', tool_calls: [call], message_id: 'm1' },
      { role: 'tool', content: 'a', name: 'bash', tool_call_id: 'c1' },
      { role: 'assistant', content: 'One file.', message_id: 'm2' },
    ]);
    expect(textOf(seen)).toBe('One file.');
    expect(seen).toContainEqual({ type: 'thinking_delta', delta: 'A list.' });
    expect(seen).toContainEqual({
      type: 'tool_call_ready',
      toolCallId: 'c1',
      toolName: 'bash',
      input: { command: 'ls' },
    });
    expect(seen).toContainEqual({ type: 'tool_result', toolCallId: 'c1', toolName: 'bash', output: 'a' });
  });
});

describe('roo --print --output-format stream-json', () => {
  const said = (content: string, more: object = {}) => ({ type: 'assistant', id: 10, content, ...more });

  it('emits a message once, though its last line repeats it, and ends with the result', () => {
    const command = (text: string) => ({
      type: 'tool_use',
      id: 11,
      subtype: 'command',
      tool_use: { name: 'execute_command', input: { command: text } },
    });
    const seen = events(rooAdapter, 'print', [
      { type: 'system', subtype: 'init', content: 'Task started' },
      said('I '),
      said('look.'),
      said('I look.', { done: true }),
      command('l'),
      command('ls'),
      { type: 'tool_result', tool_result: { name: 'execute_command', output: 'a', exitCode: 0 } },
      { type: 'result', id: 12, content: 'One file.', done: true, success: true },
    ]);
    expect(textOf(seen)).toBe('I look.One file.');
    expect(seen.filter(({ type }) => type === 'tool_call_start')).toHaveLength(1);
    expect(seen).toContainEqual(expect.objectContaining({ type: 'tool_call_ready', input: { command: 'ls' } }));
    expect(seen).toContainEqual(expect.objectContaining({ type: 'tool_result', output: 'a', exitCode: 0 }));
    expect(seen.at(-1)).toEqual({ type: 'turn_end', status: 'completed' });
  });

  it('reports a failure once', () => {
    const seen = events(rooAdapter, 'print', [
      { type: 'error', id: 1, content: '401 unauthorized' },
      { type: 'result', id: 2, done: true, success: false },
    ]);
    expect(seen.map(({ type }) => type)).toEqual(['auth_error', 'turn_end']);
  });
});

describe('aider --message-file', () => {
  it('leaves out the banner of the CLI', () => {
    const seen = events(aiderAdapter, 'message', [
      'Aider v0.86.2',
      'Main model: gpt-5 with diff edit format',
      'Git repo: .git with 3 files',
      'Repo-map: using 4096 tokens, auto refresh',
      '',
      'Here is the change.',
      'Model: a line of the answer',
    ]);
    expect(textOf(seen)).toBe('Here is the change.\nModel: a line of the answer\n');
  });
});
