import { type EventBody, NO_USAGE } from '@agent-mux/core';
import { createParseContext, only, parseRecording, replayLive, textOf } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { adapter, live, oneshot, recording, shape, spent } from '../../test/replay-claude.ts';
import { claudeCodec } from './live.ts';

describe('turn of Claude Code', () => {
  it('emits a session, a message in deltas, its tokens, its price and the end of the turn', () => {
    const events = oneshot('hello');
    expect(shape(events)).toEqual([
      'session_start',
      'message_start',
      'text_delta',
      'text_delta',
      'text_delta',
      'message_stop',
      'cost',
      'cost',
      'turn_end',
    ]);
    expect(events[0]).toMatchObject({
      type: 'session_start',
      sessionId: '52b3ca69-dc0f-4283-9d7c-d627939ba92c',
      model: 'claude-opus-5-5',
      cwd: '/workspace',
      agentVersion: '2.1.325',
      permissionMode: 'default',
    });
    expect(textOf(events)).toBe('PONG: say hello');
    expect(spent(events)).toEqual({ input: 1200, output: 34, usd: 0.00593 });
    expect(events.at(-1)).toEqual({ type: 'turn_end', status: 'completed', stopReason: 'completed' });
  });

  it('reports the loaded skills and plugins once', () => {
    const events = live('multi-turn');
    const skills = only(events, 'skill_loaded').map((event) => event.name);
    expect(skills).toContain('code-review');
    expect(new Set(skills).size).toBe(skills.length);
    expect(only(events, 'plugin_loaded').map((event) => event.pluginId)).toContain('cc-plugin-privacy@builtin');
  });

  it('keeps every character of the text', () => {
    expect(textOf(oneshot('unicode'))).toContain('héllo ✓ 日本語 👩‍💻 "quoted"');
  });

  it('shows thinking apart from the answer', () => {
    expect(only(oneshot('thinking'), 'thinking_start', 'thinking_delta', 'thinking_stop')).toEqual([
      { type: 'thinking_start' },
      { type: 'thinking_delta', delta: 'I ponder deeply.' },
      { type: 'thinking_stop' },
    ]);
  });

  it('joins a tool call by its id: start, pieces of the input, the whole input, one result', () => {
    const events = oneshot('tool').filter((event) => 'toolCallId' in event);
    expect(shape(events)).toEqual([
      'tool_call_start',
      'tool_input_delta',
      'tool_input_delta',
      'tool_call_ready',
      'tool_result',
    ]);
    expect(events[3]).toMatchObject({ toolName: 'Bash', input: { command: 'echo hi; env | sort', description: 'x' } });
    expect(events[4]).toMatchObject({ toolCallId: 'toolu_1', exitCode: 0, output: expect.stringMatching(/^hi\n/) });
  });

  it('distinguishes a failed command from a denied one', () => {
    expect(only(oneshot('tool-error'), 'tool_error')).toEqual([
      { type: 'tool_error', toolCallId: 'toolu_1', toolName: 'Bash', error: 'Exit code 3\noops' },
    ]);
    const denied = oneshot('no-approver');
    expect(only(denied, 'tool_error')[0]).toMatchObject({ toolName: 'Bash', denied: true });
    expect(only(denied, 'debug')[0]).toMatchObject({ level: 'warn', code: 'permission_denied' });
  });

  it('gives MCP calls their own events and no others', () => {
    const events = oneshot('mcp');
    expect(only(events, 'mcp_tool_call_start', 'mcp_tool_result')).toEqual([
      { type: 'mcp_tool_call_start', toolCallId: 'toolu_1', server: 'calc', toolName: 'add', input: { a: 2, b: 3 } },
      { type: 'mcp_tool_result', toolCallId: 'toolu_1', server: 'calc', toolName: 'add', output: '5' },
    ]);
    expect(only(events, 'tool_call_start', 'tool_call_ready', 'tool_result')).toEqual([]);
  });

  it('reports the files that a write or an edit changed', () => {
    expect(only(live('edits'), 'file_change')).toEqual([
      { type: 'file_change', path: '/workspace/a.txt', change: 'create', toolCallId: 'toolu_1' },
      {
        type: 'file_change',
        path: '/workspace/a.txt',
        change: 'update',
        diff: '@@ -1,2 +1,2 @@\n one\n-two\n+three',
        toolCallId: 'toolu_3',
      },
      {
        type: 'file_change',
        path: '/workspace/a.txt',
        change: 'update',
        diff: '@@ -1,2 +1,1 @@\n-one\n-three\n+over',
        toolCallId: 'toolu_5',
      },
    ]);
  });

  it('keeps parallel calls apart', () => {
    const [first, second] = ['_2', '_3'].map((end) =>
      live('parallel-and-subagent').filter((event) => 'toolCallId' in event && event.toolCallId?.endsWith(`e10${end}`)),
    );
    expect(first?.at(-1)).toMatchObject({ type: 'tool_result', output: 'one' });
    expect(second?.at(-1)).toMatchObject({ type: 'tool_error', error: 'Exit code 3\ntwo' });
  });

  it('attributes subagent output to the call that started it', () => {
    const events = live('parallel-and-subagent');
    const call = only(events, 'tool_call_start').find((event) => event.toolName === 'Agent')?.toolCallId;
    const [start] = only(events, 'subagent_start');
    const [end] = only(events, 'subagent_end');
    expect(start).toMatchObject({ toolCallId: call, name: 'general-purpose', prompt: 'SUBTASK go' });
    expect(end).toMatchObject({ subagentId: start?.subagentId, status: 'completed', summary: 'sub done' });
    const below = events.filter((event) => 'parentToolCallId' in event && event.parentToolCallId === call);
    expect(shape(below)).toEqual([
      'message_start',
      'thinking_start',
      'thinking_delta',
      'thinking_stop',
      'tool_call_start',
      'tool_call_ready',
      'message_stop',
      'tool_result',
      'message_start',
      'text_delta',
      'message_stop',
    ]);
    expect(textOf(events)).toBe('Running both. both donemain done');
  });

  it('counts subagent usage once, with the turn', () => {
    // Two requests in the first turn; two of the main conversation and two of the subagent in the second.
    expect(spent(live('parallel-and-subagent'))).toEqual({ input: 1200, output: 204, usd: 0.01158 });
  });

  it('ends each turn when a background task wakes the agent for another', () => {
    const events = live('background-subagent');
    expect(shape(only(events, 'subagent_start', 'turn_end', 'subagent_end'))).toEqual([
      'subagent_start',
      'turn_end',
      'subagent_end',
      'turn_end',
    ]);
    expect(spent(events)).toEqual({ input: 1000, output: 170, usd: 0.00965 });
    const end = events.findIndex((event) => event.type === 'subagent_end');
    expect(events[end - 1]).toMatchObject({ type: 'message_stop', parentToolCallId: expect.any(String) });
  });

  it('reports a compaction', () => {
    expect(only(live('compact'), 'context_compacted')).toEqual([{ type: 'context_compacted', trigger: 'manual' }]);
  });

  it('returns the value that matches a schema', () => {
    expect(only(live('structured-output'), 'turn_end').map((event) => event.structured)).toEqual([
      { name: 'Ada' },
      undefined,
    ]);
  });

  it('stops at the limit of turns', () => {
    expect(oneshot('max-turns').at(-1)).toEqual({ type: 'turn_end', status: 'max_turns', stopReason: 'max_turns' });
  });
});

describe('Claude Code with a broken model connection', () => {
  it('shows the answer of a retry without streaming, which only an assistant line has', () => {
    const events = oneshot('drop');
    expect(textOf(events)).toBe('PONG: hi [[drop]]');
    expect(only(events, 'retry')[0]).toMatchObject({ attempt: 1, by: 'agent', delayMs: 506 });
    // The request that broke was paid for too.
    expect(spent(events)).toEqual({ input: 2400, output: 35, usd: 0.0112 });
  });

  it('voids the streamed part of an abandoned message and keeps complete blocks', () => {
    const shown: string[] = [];
    let message = '';
    for (const event of live('dropped-streams')) {
      if (event.type === 'message_start' || event.type === 'message_discard') message = '';
      if (event.type === 'text_delta') message += event.delta;
      if (event.type === 'message_stop') shown.push(message);
    }
    expect(shown).toEqual(['', 'whole answer', '', 'answer afterx', 'first block', 'ok']);
  });
});

describe('release without abandoned_blocks (2.1.280)', () => {
  const cutOff = [
    { type: 'message_start', message: { id: 'm1', model: 'sonnet', usage: { input_tokens: 2, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'one two' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_stop' },
  ].map((event) => ({ type: 'stream_event', event }));
  const events = (...lines: object[]) => {
    const context = createParseContext();
    return lines.flatMap((line) => adapter.parseEvent(JSON.stringify(line), context) ?? []).map(({ type }) => type);
  };

  it('voids the streamed part when it repeats the request', () => {
    const retry = { type: 'system', subtype: 'api_retry', attempt: 1, error: 'unknown' };
    expect(events(...cutOff, retry)).toEqual([
      ...['message_start', 'text_delta', 'message_discard', 'message_stop', 'cost', 'retry'],
    ]);
  });

  it('voids nothing after an interrupt or a retry of another request', () => {
    const retry = { type: 'system', subtype: 'api_retry', attempt: 1, error: 'unknown' };
    const result = { type: 'result', subtype: 'error_during_execution', terminal_reason: 'aborted_streaming' };
    expect(events(...cutOff, result)).not.toContain('message_discard');
    expect(events(...cutOff.slice(0, 3), retry)).not.toContain('message_discard');
  });
});

describe('skill of Claude Code', () => {
  it('emits skill_invoked when the agent uses it', () => {
    const content = [{ type: 'tool_use', id: 't1', name: 'Skill', input: { skill: 'code-review' } }];
    const line = JSON.stringify({ type: 'assistant', message: { id: 'm1', content } });
    const events = adapter.parseEvent(line, createParseContext());
    expect(events).toContainEqual({ type: 'skill_invoked', name: 'code-review' });
  });
});

describe('cost of a result', () => {
  const usage = { input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 5, service_tier: 'priority' };
  const costs = (result: object) => {
    const line = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'ok', ...result });
    const events = adapter.parseEvent(line, createParseContext());
    return only(Array.isArray(events) ? events : events ? [events] : [], 'cost');
  };

  it('is counted from its usage if it names no models', () => {
    expect(costs({ usage, total_cost_usd: 0.5 })).toEqual([
      {
        type: 'cost',
        usage: { inputTokens: 7, outputTokens: 3, cacheReadTokens: 5, cacheCreationTokens: 0, totalTokens: 15 },
        costUsd: 0.5,
        scope: 'delta',
        source: 'reported',
        serviceTier: 'priority',
      },
    ]);
    expect(costs({ usage, modelUsage: {} })).toMatchObject([{ usage: { inputTokens: 7 }, costUsd: null }]);
  });

  it('is that of the turn if a resumed process includes its session totals (2.1.280)', () => {
    const result = (output: number, total: number, costUSD: number) => ({
      ...{ type: 'result', subtype: 'success', is_error: false, result: 'ok', total_cost_usd: costUSD },
      ...{ usage: { input_tokens: 5, output_tokens: output }, modelUsage: { m: { outputTokens: total, costUSD } } },
    });
    const context = createParseContext({ resumed: true });
    const events = [result(7, 47, 0.4), result(3, 50, 0.5)].flatMap(
      (line) => adapter.parseEvent(JSON.stringify(line), context) ?? [],
    );
    const costs = only(events, 'cost').map(({ usage: { outputTokens }, costUsd }) => [outputTokens, costUsd]);
    expect(costs).toEqual([
      [7, null],
      [3, expect.closeTo(0.1)],
    ]);
  });

  it('is 0 if 0 is reported, and null if nothing is', () => {
    expect(costs({ usage, total_cost_usd: 0 })).toMatchObject([{ costUsd: 0 }]);
    expect(costs({ total_cost_usd: 0 })).toMatchObject([{ usage: NO_USAGE, costUsd: 0 }]);
    expect(costs({ usage })).toMatchObject([{ costUsd: null }]);
    expect(costs({})).toEqual([]);
  });

  it('has the service tier of each message', () => {
    expect(only(oneshot('hello'), 'cost').map(({ serviceTier }) => serviceTier)).toContain('standard');
  });
});

describe('failed turn', () => {
  const failures: [name: string, EventBody][] = [
    ['auth-error', { type: 'auth_error', message: 'Failed to authenticate. API Error: 401 scripted 401' }],
    ['server-error', { type: 'error', code: 'SERVER_ERROR', recoverable: true, message: expect.any(String) }],
    ['overloaded', { type: 'error', code: 'SERVER_ERROR', recoverable: true, message: expect.any(String) }],
    ['rate-limit', { type: 'rate_limit_error', retrying: false, message: expect.stringContaining('429') }],
    [
      'context-exceeded',
      { type: 'context_exceeded', usedTokens: 250_000, maxTokens: 200_000, message: expect.any(String) },
    ],
    ['resume-missing', { type: 'error', code: 'SESSION_NOT_FOUND', recoverable: false, message: expect.any(String) }],
  ];
  it.each(failures)('reports the cause of %s without agent text and fails the turn', (name, expected) => {
    const events = oneshot(name);
    expect(events.at(-2)).toMatchObject(expected);
    expect(events.at(-1)).toMatchObject({ type: 'turn_end', status: 'failed' });
    expect(textOf(events)).toBe('');
    for (const cost of only(events, 'cost')) expect(cost).toMatchObject({ usage: NO_USAGE, costUsd: 0 });
  });

  it('reports at the first 429 that the CLI would keep retrying', () => {
    const events = oneshot('rate-limit-retrying');
    expect(only(events, 'rate_limit_error')).toEqual([
      expect.objectContaining({ type: 'rate_limit_error', retrying: true, retryAfterMs: 30_000 }),
    ]);
    expect(events.findIndex((event) => event.type === 'rate_limit_error')).toBe(
      events.findIndex((event) => event.type === 'retry') + 1,
    );
  });

  it('reports the usage of the subscription windows', () => {
    expect(only(oneshot('rate-limit-event'), 'rate_limit_status')).toEqual([
      {
        type: 'rate_limit_status',
        limited: false,
        windows: [{ window: 'five_hour', usedPercent: 91, resetsAt: 1_794_772_093_000, exhausted: false }],
      },
    ]);
  });

  it('reports when an exhausted window resets', () => {
    const events = live('usage-limit');
    const resetsAt = 1_794_788_965_000;
    expect(only(events, 'rate_limit_status')[0]).toMatchObject({
      limited: true,
      windows: [
        { window: 'five_hour', usedPercent: 100, resetsAt, exhausted: true },
        { window: 'seven_day', usedPercent: 40, resetsAt, exhausted: false },
      ],
    });
    expect(only(events, 'rate_limit_error')).toEqual([
      {
        type: 'rate_limit_error',
        message: "You've hit your 5-hour limit · resets 12:29am (UTC)",
        resetsAt,
        retrying: false,
      },
    ]);
  });

  it('stops a CLI that retries a refused login', () => {
    const lines = parseRecording(recording('login-refused.txt')).filter((line) => line.direction === 'in');
    const { events, replies } = replayLive(claudeCodec, lines);
    expect(only(events, 'auth_error')).toHaveLength(1);
    expect(replies.map((reply) => JSON.parse(reply).request)).toEqual([{ subtype: 'interrupt' }]);
    expect(events.at(-1)).toMatchObject({ type: 'turn_end', status: 'failed' });
  });

  it('asks for a login if there is none', () => {
    expect(only(live('not-logged-in'), 'auth_error')[0]?.message).toBe('Not logged in · Please run /login');
  });

  it('reports why the CLI refuses to start', () => {
    const line = '--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons';
    const context = createParseContext({ source: 'stderr' });
    expect(adapter.parseEvent(line, context)).toMatchObject({ type: 'error', code: 'AGENT_ERROR', message: line });
    expect(adapter.parseEvent('some warning', context)).toBeNull();
  });

  it('ignores lines that are not part of the stream', () => {
    for (const line of ['', 'plain text', '{"half":', '[1]', '42', '{}']) {
      expect(adapter.parseEvent(line, createParseContext())).toBeNull();
    }
  });
});
