import { readFileSync } from 'node:fs';
import type { RequestAnswer } from '@agent-mux/core';
import { assertDeterministic, createResolvedOptions, only } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { converse, paths, replay, type Script, SESSION, shape, textOf } from '../../test/opencode-server.ts';
import { KILO_DIALECT, OPENCODE_DIALECT } from './dialect.ts';
import { openState } from './server/open.ts';
import { askPermission } from './server/requests.ts';

const opencode = (name: string, script?: Script) => replay(OPENCODE_DIALECT, name, script);
const kilo = (name: string, script?: Script) => replay(KILO_DIALECT, name, script);

describe('turn over the HTTP API', () => {
  it('goes from a health check to a session, a prompt and its answer', () => {
    const talk = opencode('hello');
    expect(paths(talk)).toEqual([
      'GET /global/health',
      'GET /agent',
      'POST /session',
      'GET /mcp',
      expect.stringMatching(/^POST \/session\/ses_\w+\/prompt_async$/),
    ]);
    expect(talk.calls.every(({ path }) => path.includes('directory=%2Fworkspace'))).toBe(true);
    expect(shape(talk)).toEqual(['session_start', 'message_start', 'text_delta', 'cost', 'message_stop', 'turn_end']);
    expect(talk.events[0]).toMatchObject({ type: 'session_start', cwd: '/workspace', agentVersion: '1.18.33' });
    expect(only(talk.events, 'message_start')[0]?.model).toBe('lab/scripted-model');
    expect(only(talk.events, 'cost')).toEqual([
      {
        type: 'cost',
        usage: {
          inputTokens: 200,
          outputTokens: 34,
          cacheReadTokens: 1000,
          cacheCreationTokens: 0,
          totalTokens: 1234,
        },
        costUsd: 0.00141,
        scope: 'delta',
        source: 'reported',
        model: 'lab/scripted-model',
      },
    ]);
  });

  it('decodes the same bytes to the same events, even if its state is stored in between', () => {
    for (const name of ['tool', 'subagent', 'question', 'steer']) {
      const answer: RequestAnswer = { kind: 'input', answer: { answers: { '0': ['A'] } } };
      assertDeterministic((options) => opencode(name, { ...options, answer }));
      assertDeterministic((options) => kilo(name, { ...options, answer }));
    }
  });

  it('emits a tool from its start over its growing output to its result', () => {
    const talk = opencode('tool');
    expect(shape(talk)).toEqual([
      'session_start',
      'message_start',
      'text_delta',
      'tool_call_start',
      'tool_call_ready',
      'tool_output_delta',
      'tool_result',
      'cost',
      'message_stop',
      'message_start',
      'text_delta',
      'cost',
      'message_stop',
      'turn_end',
    ]);
    expect(only(talk.events, 'tool_call_ready')[0]?.input).toEqual({ command: 'echo hi', description: 'd' });
    expect(only(talk.events, 'tool_result')[0]).toMatchObject({ toolName: 'bash', output: 'hi\n', exitCode: 0 });
  });

  it('keeps thinking apart from text', () => {
    const talk = opencode('thinking');
    expect(only(talk.events, 'thinking_delta').map(({ delta }) => delta)).toEqual(['pondering']);
    expect(shape(talk).slice(2, 6)).toEqual(['thinking_start', 'thinking_delta', 'thinking_stop', 'text_delta']);
  });

  it('reports the files that an edit changed', () => {
    expect(only(opencode('edit').events, 'file_change')).toEqual([
      { type: 'file_change', path: '/workspace/made.txt', change: 'create', toolCallId: 'call_19' },
    ]);
  });

  it('reports the tools of MCP servers as such', () => {
    const { events } = opencode('mcp');
    expect(only(events, 'mcp_tool_call_start', 'mcp_tool_result')).toEqual([
      {
        type: 'mcp_tool_call_start',
        toolCallId: 'call_1',
        server: 'labmcp',
        toolName: 'add',
        input: { a: 2, b: 3 },
      },
      { type: 'mcp_tool_result', toolCallId: 'call_1', server: 'labmcp', toolName: 'add', output: '5' },
    ]);
  });

  it('reads the structured answer from the message', () => {
    expect(opencode('structured').events.at(-1)).toMatchObject({
      type: 'turn_end',
      status: 'completed',
      structured: { answer: '42' },
    });
  });

  it('counts the tokens of a subagent and attributes its text to its call', () => {
    for (const talk of [opencode('subagent'), kilo('subagent')]) {
      const [start] = only(talk.events, 'subagent_start');
      expect(start).toMatchObject({ name: 'general', prompt: 'do sub work', toolCallId: expect.any(String) });
      expect(only(talk.events, 'subagent_end')).toMatchObject([{ subagentId: start?.subagentId, status: 'completed' }]);
      const inner = only(talk.events, 'text_delta').filter((event) => event.parentToolCallId === start?.toolCallId);
      expect(inner.map(({ delta }) => delta).join('')).toContain('PONG');
      expect(only(talk.events, 'cost')).toHaveLength(3);
      expect(only(talk.events, 'turn_end')).toHaveLength(1);
    }
  });

  it('ends both prompts of a steered turn as one', () => {
    for (const talk of [opencode('steer'), kilo('steer')]) {
      expect(only(talk.events, 'message_start')).toHaveLength(2);
      expect(only(talk.events, 'turn_end')).toEqual([expect.objectContaining({ status: 'completed' })]);
      expect(talk.events.at(-1)?.type).toBe('turn_end');
    }
    expect(textOf(opencode('steer'))).toContain('PONG: steer');
  });

  it('ignores other sessions', () => {
    const lines = readFileSync(new URL('../opencode/recordings/serve-tool.jsonl', import.meta.url), 'utf8').split('\n');
    const { events } = converse(OPENCODE_DIALECT, lines, SESSION, {});
    expect(events.map(({ type }) => type)).toEqual(['session_start']);
  });
});

describe('requests of the server', () => {
  it('are shown and answered once', () => {
    const talk = opencode('approval-once', { answer: { kind: 'approval', answer: { decision: 'allow' } } });
    expect(only(talk.events, 'approval_request')).toMatchObject([
      {
        toolName: 'bash',
        title: 'bash: rm -f once.txt',
        toolCallId: 'call_6',
        input: { permission: 'bash', command: 'rm -f once.txt', patterns: ['rm -f once.txt'], always: ['rm *'] },
        options: [{ id: 'once' }, { id: 'always', label: 'Allow always: bash rm *' }, { id: 'reject' }],
      },
    ]);
    expect(talk.calls.at(-1)).toMatchObject({
      path: expect.stringMatching(/^\/permission\/per_\w+\/reply/),
      body: { reply: 'once' },
    });
  });

  it('are rejected with a message, so that the model continues, and end the call as denied', () => {
    for (const talk of [
      opencode('approval-reject', { answer: { kind: 'approval', answer: { decision: 'deny' } } }),
      kilo('approval-reject', { answer: { kind: 'approval', answer: { decision: 'deny' } } }),
    ]) {
      expect(talk.calls.at(-1)?.body).toEqual({ reply: 'reject', message: expect.stringMatching(/\w/) });
      expect(only(talk.events, 'tool_error')).toMatchObject([{ toolName: 'bash', denied: true }]);
      expect(talk.events.at(-1)).toMatchObject({ type: 'turn_end', status: 'completed' });
    }
  });

  it('are marked as elevated for a limit that a tool has run into', () => {
    const ask = (permission: string) => {
      const properties = { id: 'per_1', permission, patterns: ['/etc/*'], sessionID: 's' };
      return askPermission(properties, openState(createResolvedOptions({}), OPENCODE_DIALECT)).events[0];
    };
    expect(ask('external_directory')).toMatchObject({ type: 'approval_request', elevated: true });
    expect(ask('edit')).not.toHaveProperty('elevated');
  });

  it('are answered automatically for a tool on the list of allowed tools', () => {
    const talk = opencode('approval-once', { options: { allowedTools: ['bash'] } });
    expect(only(talk.events, 'approval_request')).toEqual([]);
    expect(talk.calls.at(-1)?.body).toEqual({ reply: 'once' });
  });

  it('pass a question on and return the answers in order', () => {
    const answer: RequestAnswer = { kind: 'input', answer: { answers: { '0': ['A'] } } };
    for (const talk of [opencode('question', { answer }), kilo('question', { answer })]) {
      const [asked] = only(talk.events, 'input_required');
      expect(asked?.questions).toMatchObject([
        {
          id: '0',
          question: 'Which?',
          header: 'Pick',
          multiple: false,
          freeText: true,
          options: [{ label: 'A' }, { label: 'B' }],
        },
      ]);
      expect(talk.calls.at(-1)).toMatchObject({ path: expect.stringContaining('/reply'), body: { answers: [['A']] } });
    }
    const declined = opencode('question', { answer: { kind: 'input', answer: { declined: true } } });
    expect(paths(declined).at(-1)).toMatch(/^POST \/question\/que_\w+\/reject$/);
  });

  it('apply the rules of the session to a subagent, and ask if they ask', () => {
    const child = { id: 'ses_child', parentID: SESSION };
    const asked = (permission: string, sessionID: string) =>
      JSON.stringify({ type: 'permission.asked', properties: { id: `per_${permission}`, sessionID, permission } });
    const lines = [
      JSON.stringify({ type: 'session.created', properties: { sessionID: child.id, info: child } }),
      asked('grep', child.id),
      asked('bash', child.id),
      asked('bash', 'ses_other'),
    ];
    const prompt = converse(OPENCODE_DIALECT, lines, SESSION, { options: { approvalMode: 'prompt' } });
    expect(prompt.calls.at(-1)).toMatchObject({ path: expect.stringContaining('per_grep'), body: { reply: 'once' } });
    expect(only(prompt.events, 'approval_request')).toMatchObject([{ requestId: 'per_bash' }]);
    const yolo = converse(OPENCODE_DIALECT, lines, SESSION, { options: { approvalMode: 'yolo' } });
    expect(yolo.calls.slice(-2).map(({ body }) => body)).toEqual([{ reply: 'once' }, { reply: 'once' }]);
    expect(only(yolo.events, 'approval_request')).toEqual([]);
  });
});
