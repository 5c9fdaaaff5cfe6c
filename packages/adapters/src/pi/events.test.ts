import { createParseContext, only, replayLive, replayOneshot, shapeOf, textOf } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { adapter, live, oneshot, recording } from '../../test/replay-pi.ts';
import { piCodec } from './live.ts';

describe('one-shot process', () => {
  it('streams an answer', () => {
    const events = oneshot('hello');
    expect(shapeOf(events)).toEqual([
      'session_start',
      'message_start',
      'text_delta',
      'message_stop',
      'cost',
      'turn_end',
    ]);
    expect(only(events, 'session_start')).toEqual([
      { type: 'session_start', sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/), cwd: '/workspace' },
    ]);
    expect(only(events, 'message_start')[0]?.model).toBe('lab/scripted');
    expect(textOf(events)).toContain('say hello');
    expect(only(events, 'turn_end')).toEqual([{ type: 'turn_end', status: 'completed', stopReason: 'stop' }]);
  });

  it('keeps every character', () => {
    expect(textOf(oneshot('unicode'))).toMatch(/[^\u0000-\u00ff]/);
  });

  it('separates thinking from text', () => {
    const events = oneshot('thinking');
    expect(shapeOf(events).slice(1, 7)).toEqual([
      'message_start',
      'thinking_start',
      'thinking_delta',
      'thinking_stop',
      'text_delta',
      'message_stop',
    ]);
  });

  it('runs a tool and shows its output as it grows', () => {
    const events = oneshot('tool');
    const [ready] = only(events, 'tool_call_ready');
    const input = only(events, 'tool_input_delta').map(({ delta }) => delta);
    expect(JSON.parse(input.join(''))).toEqual(ready?.input);
    const [result] = only(events, 'tool_result');
    expect(result).toMatchObject({ toolCallId: 'toolu_1', toolName: 'bash', exitCode: 0 });
    const printed = only(events, 'tool_output_delta').map(({ delta }) => delta);
    expect(printed.join('')).toBe(result?.output);
  });

  it('reports a failed command as an error', () => {
    const [error] = only(oneshot('tool-error'), 'tool_error');
    expect(error).toEqual({
      type: 'tool_error',
      toolCallId: 'toolu_1',
      toolName: 'bash',
      error: expect.stringContaining('exited with code 3'),
    });
  });

  it('reports an edit as a change of a file, with its patch', () => {
    expect(only(oneshot('edit'), 'file_change')).toEqual([
      {
        type: 'file_change',
        path: 'a.txt',
        change: 'update',
        toolCallId: 'toolu_1',
        diff: expect.stringContaining('+gamma'),
      },
    ]);
  });

  it('counts each request to the model once, with its price', () => {
    const costs = only(oneshot('tool'), 'cost');
    expect(costs).toHaveLength(2);
    expect(costs[0]).toEqual({
      type: 'cost',
      usage: {
        inputTokens: 1200,
        outputTokens: 34,
        cacheReadTokens: 1000,
        cacheCreationTokens: 50,
        totalTokens: 2284,
      },
      costUsd: 0.0045975,
      scope: 'delta',
      source: 'reported',
      model: 'lab/scripted',
    });
  });

  it('reports a cost of 0', () => {
    const free = recording('hello.jsonl')
      .toString()
      .replace(/"total":[\d.]+/g, '"total":0');
    expect(only(replayOneshot(adapter, free), 'cost')[0]?.costUsd).toBe(0);
  });

  it.each(['resume', 'fork'])('names the session of a %s', (name) => {
    expect(only(oneshot(name), 'session_start')[0]?.sessionId).toBeTruthy();
  });
});

describe('failures', () => {
  it.each([
    ['auth-error', { type: 'auth_error', message: '401 scripted 401' }],
    ['server-error', { type: 'error', code: 'SERVER_ERROR', recoverable: true }],
    ['drop', { type: 'error', code: 'NETWORK_ERROR', message: 'terminated' }],
    ['context-exceeded', { type: 'context_exceeded', usedTokens: 250_000, maxTokens: 200_000 }],
  ] as const)('%s', (name, expected) => {
    const events = oneshot(name);
    expect(events.at(-2)).toMatchObject(expected);
    expect(events.at(-1)).toEqual({ type: 'turn_end', status: 'failed', stopReason: 'error' });
    expect(only(events, 'turn_end')).toHaveLength(1);
  });

  it('report the retries of the agent', () => {
    const retries = only(oneshot('server-error'), 'retry');
    expect(retries.map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
      [1, 2000],
      [2, 4000],
      [3, 8000],
    ]);
    expect(retries[0]).toMatchObject({ by: 'agent', maxAttempts: 3, reason: '500 scripted 500' });
  });

  it.each([
    ['json', oneshot('rate-limit')],
    ['rpc', live('rate-limited').events],
  ] as const)('report a rate limit before the first retry (%s)', (_, events) => {
    expect(only(events, 'retry')).toEqual([]);
    expect(only(events, 'rate_limit_error')[0]).toMatchObject({
      retrying: true,
      message: expect.stringMatching(/^429 /),
    });
  });

  it('void the text of a broken request when it is repeated', () => {
    const { events } = live('dropped');
    const types = shapeOf(events);
    expect(types.indexOf('message_discard')).toBeGreaterThan(types.indexOf('text_delta'));
    expect(types.indexOf('message_stop')).toBeGreaterThan(types.indexOf('message_discard'));
    expect(only(events, 'turn_end')).toEqual([{ type: 'turn_end', status: 'completed', stopReason: 'stop' }]);
  });

  it.each([
    ["No session found matching 'x'", { type: 'error', code: 'SESSION_NOT_FOUND' }],
    ['No models available. Use /login to log into a provider', { type: 'auth_error' }],
    ['Error: Model "x" not found.', { type: 'error', code: 'AGENT_ERROR', message: 'Model "x" not found.' }],
  ])('stderr: %s', (line, expected) => {
    expect(adapter.parseEvent(line, createParseContext({ source: 'stderr' }))).toMatchObject(expected);
  });

  it('report a session of another folder as missing', () => {
    const line = 'Session found in different project: /other';
    const expected = { type: 'error', code: 'SESSION_NOT_FOUND', recoverable: false };
    expect(adapter.parseEvent(line, createParseContext())).toMatchObject(expected);
    expect(replayLive(piCodec, [line]).events).toMatchObject([expected]);
  });
});
