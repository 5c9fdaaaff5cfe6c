import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventBody, RequestAnswer, ResolvedRunOptions } from '@agent-mux/core';
import {
  assertDeterministic,
  createParseContext,
  createResolvedOptions,
  type LiveAct,
  only,
  parseRecording,
  replayLive,
  replayOneshot,
  shapeOf,
  textOf,
} from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { qwenAdapter } from './index.ts';
import { qwenCodec } from './live.ts';
import { mentionedFiles } from './prompt.ts';

const adapter = qwenAdapter;

function recording(name: string): Buffer {
  return readFileSync(new URL(`./recordings/${name}`, import.meta.url));
}

function oneshot(name: string, exitCode = 0): EventBody[] {
  const exit = { code: exitCode, signal: null };
  return assertDeterministic((options) => replayOneshot(adapter, recording(`${name}.jsonl`), { ...options, exit }));
}

/** Lines to the agent become actions of the caller; the codec sends the handshake itself. */
function actOf(line: string): LiveAct | undefined {
  const said = JSON.parse(line);
  if (said.type === 'user') return { act: 'turn', text: said.message.content };
  if (said.request?.subtype === 'interrupt') return { act: 'interrupt' };
  if (said.type !== 'control_response') return undefined;
  const { request_id: requestId, response } = said.response;
  return { act: 'resolve', requestId, answer: answerOf(response) };
}

function answerOf(response: {
  behavior: string;
  message?: string;
  updatedInput?: { answers?: Record<string, string> };
}): RequestAnswer {
  const answers = response.updatedInput?.answers;
  if (answers) {
    const chosen = Object.fromEntries(Object.entries(answers).map(([id, label]) => [id, [label]]));
    return { kind: 'input', answer: { answers: chosen } };
  }
  if (response.behavior === 'allow') return { kind: 'approval', answer: { decision: 'allow' } };
  return { kind: 'approval', answer: { decision: 'deny', message: response.message ?? '' } };
}

function live(name: string) {
  const lines = parseRecording(recording(name));
  return assertDeterministic((options) => replayLive(qwenCodec, lines, { ...options, actOf }));
}

const conversation = () => live('conversation.jsonl');

describe('one-shot process', () => {
  it('streams an answer', () => {
    const events = oneshot('hello');
    expect(shapeOf(events).filter((type) => type !== 'skill_loaded')).toEqual([
      'session_start',
      'message_start',
      'text_delta',
      'message_stop',
      'cost',
      'turn_end',
    ]);
    expect(only(events, 'session_start')[0]).toMatchObject({
      sessionId: '672adbec-80bc-4e5d-8bfa-0706569cf720',
      model: 'scripted-model',
      cwd: '/workspace',
      permissionMode: 'auto',
      agentVersion: '0.24.4',
    });
    expect(textOf(events)).toBe('PONG: say hello');
  });

  it('counts the usage of the conversation, not of side requests', () => {
    const costs = only(oneshot('hello'), 'cost');
    expect(costs).toEqual([
      {
        type: 'cost',
        usage: {
          inputTokens: 1200,
          outputTokens: 34,
          cacheReadTokens: 1000,
          cacheCreationTokens: null,
          totalTokens: 1234,
        },
        costUsd: null,
        scope: 'delta',
        source: 'reported',
        model: 'scripted-model',
      },
    ]);
    expect(only(oneshot('tool'), 'cost')).toHaveLength(2);
  });

  it('fails with a success result that contains only an API error (0.21)', () => {
    const result = '[API Error: 401 Incorrect API key provided.]';
    const line = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result });
    expect(adapter.parseEvent(line, createParseContext())).toMatchObject([
      { type: 'auth_error' },
      { type: 'turn_end', status: 'failed' },
    ]);
  });

  it('keeps every character', () => {
    expect(textOf(oneshot('unicode'))).toContain('grüße 你好 🎉 שלום');
  });

  it('separates thinking from text', () => {
    const types = shapeOf(oneshot('thinking'));
    expect(types.indexOf('thinking_start')).toBeLessThan(types.indexOf('thinking_stop'));
    expect(types.indexOf('thinking_stop')).toBeLessThan(types.indexOf('text_delta'));
  });

  it('runs a tool', () => {
    const events = oneshot('tool');
    const [ready] = only(events, 'tool_call_ready');
    const streamed = only(events, 'tool_input_delta').map(({ delta }) => delta);
    expect(JSON.parse(streamed.join(''))).toEqual(ready?.input);
    expect(only(events, 'tool_result')).toMatchObject([
      { toolCallId: 'call_1', toolName: 'run_shell_command', exitCode: 0, output: expect.stringContaining('hi\n') },
    ]);
    expect(only(events, 'tool_call_start', 'tool_call_ready')).toHaveLength(2);
  });

  it('reports a failed command as an error', () => {
    expect(only(oneshot('tool-error'), 'tool_error')).toMatchObject([{ toolName: 'run_shell_command' }]);
  });

  it('ends a denied call as denied', () => {
    const events = oneshot('approval-denied');
    expect(only(events, 'tool_error')).toMatchObject([{ toolCallId: 'call_1', denied: true }]);
    expect(only(events, 'turn_end')[0]?.status).toBe('completed');
  });

  it('reports an edit as a change of a file', () => {
    expect(only(oneshot('write-autoedit'), 'file_change')).toMatchObject([{ change: 'update' }]);
  });

  it('reports MCP calls as such', () => {
    const events = oneshot('mcp');
    expect(only(events, 'mcp_tool_call_start')).toMatchObject([{ server: 'echo', toolName: 'say' }]);
    expect(only(events, 'mcp_tool_result')).toHaveLength(1);
  });

  it('returns the requested value', () => {
    expect(only(oneshot('structured'), 'turn_end')).toMatchObject([
      { status: 'completed', structured: { city: 'Ulm', population: 126_000 } },
    ]);
  });

  it('ends silently at its limit of turns', () => {
    const events = oneshot('max-turns', 53);
    expect(only(events, 'turn_end')).toEqual([{ type: 'turn_end', status: 'max_turns' }]);
    expect(textOf(events)).toBe('Calling a tool. ');
  });
});

describe('failures', () => {
  it.each([
    ['auth-error', { type: 'auth_error', message: '401 scripted 401' }],
    ['server-error', { type: 'error', code: 'SERVER_ERROR', message: '500 scripted 500' }],
    ['server-400', { type: 'error', code: 'AGENT_ERROR', message: '400 scripted 400' }],
    ['drop', { type: 'error', code: 'NETWORK_ERROR', message: expect.stringContaining('terminated') }],
  ] as const)('%s', (name, expected) => {
    const events = oneshot(name, 1);
    expect(events.at(-2)).toMatchObject(expected);
    expect(events.at(-1)).toMatchObject({ type: 'turn_end', status: 'failed' });
    expect(textOf(events)).toBe('');
  });

  it('report that a broken request is repeated', () => {
    expect(only(oneshot('drop', 1), 'retry')).toHaveLength(2);
  });

  it('void the text of a broken request, unless the agent continues from it', () => {
    const begin = recording('hello.jsonl').toString().split('\n').slice(0, 5);
    const retry = (preserveText: boolean) =>
      JSON.stringify({ type: 'system', subtype: 'retry', data: { reason: 'retry', preserveText } });
    expect(only(replayOneshot(adapter, [...begin, retry(false)]), 'message_discard')).toHaveLength(1);
    expect(only(replayOneshot(adapter, [...begin, retry(true)]), 'message_discard')).toHaveLength(0);
  });

  it.each([
    ['Retrying in 60s (attempt 1/10): [API Error: 429 slow down]', { type: 'rate_limit_error', retrying: true }],
    ['[qwen-code] Waiting for API capacity... attempt 3, retry in 200s', { type: 'rate_limit_error', retrying: true }],
    ['Retrying provider attempt (0 buffered tool call(s) discarded).', null],
    ['Ripgrep not available: EACCES', null],
  ])('stderr: %s', (line, expected) => {
    const event = adapter.parseEvent(line, createParseContext({ source: 'stderr' }));
    if (expected === null) expect(event).toBeNull();
    else expect(event).toMatchObject(expected);
  });
});

describe('conversation', () => {
  it('has six turns, one of them interrupted', () => {
    const { events } = conversation();
    expect(only(events, 'turn_end').map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'completed',
      'completed',
      'interrupted',
      'completed',
    ]);
    expect(only(events, 'session_start')).toHaveLength(1);
    expect(only(events, 'error')).toEqual([]);
  });

  it('asks for a tool, with both possible answers', () => {
    const [request] = only(conversation().events, 'approval_request');
    expect(request).toMatchObject({
      toolName: 'run_shell_command',
      toolCallId: 'call_3',
      title: 'run_shell_command: touch /workspace/qsj-ok; echo ok',
      options: [{ kind: 'allow_once' }, { kind: 'deny_once' }],
    });
  });

  it('ends a denied call as denied', () => {
    const [error] = only(conversation().events, 'tool_error');
    expect(error).toMatchObject({ toolCallId: 'call_5', denied: true, error: expect.stringContaining('host says no') });
  });

  it('adds up the usage of each message', () => {
    const output = only(conversation().events, 'cost').reduce((sum, { usage }) => sum + (usage.outputTokens ?? 0), 0);
    expect(output).toBe(8 * 34);
  });

  it('lets an approval wait longer than the default minute of Qwen Code', () => {
    const [hello] = qwenCodec.handshake(qwenCodec.open(createResolvedOptions({ thinkingEffort: 'high' })));
    expect(JSON.parse(hello ?? '').request).toEqual({
      subtype: 'initialize',
      hooks: null,
      timeout: { canUseTool: 600_000 },
      effort: 'high',
    });
  });

  it('keeps a background subagent beyond the call that starts it', () => {
    const { events } = live('subagent.txt');
    const [started] = only(events, 'subagent_start');
    expect(started).toMatchObject({ name: 'general-purpose', prompt: expect.stringContaining('SUBTASK-7') });
    expect(only(events, 'subagent_end')).toMatchObject([{ subagentId: started?.subagentId, status: 'completed' }]);
    const types = shapeOf(events);
    expect(types.indexOf('subagent_end')).toBeGreaterThan(types.indexOf('tool_result'));
  });

  it('continues from its text when the connection breaks', () => {
    const { events } = live('dropped.txt');
    expect(only(events, 'retry')).toHaveLength(1);
    expect(only(events, 'message_discard')).toEqual([]);
    expect(textOf(events)).toBe('one two three four five six');
  });

  it('sends the recorded lines to the agent, with an answered question', () => {
    const said = parseRecording(recording('question.txt')).filter(({ direction }) => direction === 'out');
    const { sent, events } = live('question.txt');
    expect(sent.map(({ line }) => line)).toEqual(said.map(({ line }) => line));
    expect(only(events, 'tool_result')[0]?.output).toContain('Teal');
  });

  it('keys answers by the number of the question', () => {
    const asking = JSON.stringify({
      type: 'control_request',
      request_id: 'q1',
      request: {
        subtype: 'can_use_tool',
        tool_name: 'ask_user_question',
        tool_use_id: 'call_1',
        input: { questions: [{ question: 'Which?', header: 'Color', options: [{ label: 'Teal' }] }] },
      },
    });
    const { events, sent } = replayLive(qwenCodec, [asking], {
      answer: () => ({ kind: 'input', answer: { answers: { 0: ['Teal'] } } }),
    });
    expect(only(events, 'input_required')[0]?.questions).toMatchObject([{ id: '0', question: 'Which?' }]);
    const reply = JSON.parse(sent.at(-1)?.line ?? '').response.response;
    expect(reply).toMatchObject({ behavior: 'allow', updatedInput: { answers: { 0: 'Teal' } } });
  });
});

const ID = '7d4a1c52-6f0b-4e3d-9b8a-2c5e1f7a6d90';

describe('launch of Qwen Code', () => {
  const launch = (options: Partial<ResolvedRunOptions> = {}) =>
    adapter.buildSpawnArgs(createResolvedOptions({ mode: 'live', approvalMode: 'prompt', ...options }));
  const STREAM = ['--output-format', 'stream-json', '--include-partial-messages'];

  it('uses lines of JSON both ways', () => {
    expect(launch()).toMatchObject({
      command: 'qwen',
      args: [...STREAM, '--input-format', 'stream-json', '--approval-mode=default'],
    });
    expect(launch().stdin).toBeUndefined();
  });

  it('passes the prompt of a one-shot process on stdin', () => {
    const { args, stdin } = launch({ mode: 'oneshot', approvalMode: 'deny', prompt: '-x' });
    expect(args).toEqual([...STREAM, '--approval-mode=default']);
    expect(stdin).toBe('-x');
  });

  it.each([
    ['plan', 'plan'],
    ['deny', 'default'],
    ['accept-edits', 'auto-edit'],
    ['yolo', 'yolo'],
  ] as const)('maps %s to %s', (approvalMode, native) => {
    expect(launch({ approvalMode }).args.at(-1)).toBe(`--approval-mode=${native}`);
  });

  it('passes a native mode through', () => {
    expect(launch({ nativePermissionMode: 'auto' }).args.at(-1)).toBe('--approval-mode=auto');
  });

  it.each([
    [{ sessionId: ID }, [`--resume=${ID}`]],
    [{ forkSessionId: ID }, [`--resume=${ID}`, '--fork-session']],
    [{ noSession: true }, ['--chat-recording=false']],
    [{ model: 'm' }, ['--model=m']],
    [{ maxTurns: 3 }, ['--max-session-turns=3']],
    [
      { allowedTools: ['a', 'run_shell_command(git)'] },
      ['--allowed-tools=a', '--allowed-tools=run_shell_command(git)'],
    ],
    [{ deniedTools: ['a'] }, ['--exclude-tools=a']],
    [{ addDirs: ['/x', '/y'] }, ['--add-dir=/x', '--add-dir=/y']],
    [{ systemPrompt: '- rhyme' }, ['--append-system-prompt=- rhyme']],
    [{ systemPrompt: 'rhyme', systemPromptMode: 'replace' }, ['--system-prompt=rhyme']],
  ] satisfies [Partial<ResolvedRunOptions>, string[]][])('%j', (options, expected) => {
    expect(launch(options).args.slice(6)).toEqual(expected);
  });

  it('puts MCP servers into a file, each in its own transport', () => {
    const { args, files } = launch({
      scratchDir: '/scratch',
      mcpServers: {
        one: { command: 'x', args: ['y'] },
        two: { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: { a: 'b' } },
        three: { type: 'sse', url: 'http://127.0.0.1:1/sse' },
      },
    });
    expect(args.at(-1)).toBe('--mcp-config=/scratch/mcp.json');
    expect(JSON.parse(files?.['mcp.json'] ?? '')).toEqual({
      mcpServers: {
        one: { command: 'x', args: ['y'] },
        two: { httpUrl: 'http://127.0.0.1:1/mcp', headers: { a: 'b' } },
        three: { url: 'http://127.0.0.1:1/sse' },
      },
    });
  });

  it('mentions files so that their names survive', () => {
    const attachments = [{ path: '/a b/dot.png', mimeType: 'image/png', name: 'dot.png' }];
    expect(mentionedFiles({ text: 'Look.', attachments })).toBe('Look.\n\n@/a\\ b/dot.png');
  });
});

describe('auth and sessions of Qwen Code', () => {
  it('stores sessions by folder', () => {
    expect(adapter.sessionDir('/home/dev/my.app')).toMatch(/\.qwen\/projects\/-home-dev-my-app\/chats$/);
  });

  it('recognizes a login by its key', async () => {
    expect(await adapter.detectAuth({ HOME: '/nowhere' })).toEqual({ status: 'unauthenticated' });
    const state = await adapter.detectAuth({ HOME: '/nowhere', OPENAI_API_KEY: 'x' });
    expect(state.status).toBe('authenticated');
  });

  it('recognizes a key in the .env file that the CLI loads', async () => {
    const home = mkdtempSync(join(tmpdir(), 'qwen-home-'));
    try {
      writeFileSync(join(home, '.env'), 'DASHSCOPE_API_KEY="hush"\n');
      const state = await adapter.detectAuth({ HOME: '/nowhere', QWEN_HOME: home });
      expect(state).toMatchObject({ status: 'authenticated', method: 'api_key' });
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});
