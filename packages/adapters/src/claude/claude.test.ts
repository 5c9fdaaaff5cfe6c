import { readFileSync } from 'node:fs';
import {
  type EventBody,
  type EventType,
  NO_USAGE,
  type PendingRequest,
  type ResolvedRunOptions,
} from '@agent-mux/core';
import {
  assertDeterministic,
  type LiveAct,
  makeParseContext,
  makeResolvedOptions,
  parseRecording,
  replayLive,
  replayOneshot,
} from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { openState } from '../claude-stream/index.ts';
import { claudeAdapter } from './index.ts';
import { claudeCodec } from './live.ts';

const adapter = claudeAdapter;

function recording(name: string): Buffer {
  return readFileSync(new URL(`./recordings/${name}`, import.meta.url));
}

function oneshot(name: string): EventBody[] {
  return assertDeterministic((options) => replayOneshot(adapter, recording(`${name}.jsonl`), options));
}

/** Lines to the agent become what the caller of a run did; the codec says the handshake itself. */
function actOf(line: string): LiveAct | undefined {
  const said = JSON.parse(line);
  if (said.type === 'user') return { act: said.priority ? 'steer' : 'turn', text: said.message.content };
  if (said.request?.subtype === 'interrupt') return { act: 'interrupt' };
  return undefined;
}

function live(name: string): EventBody[] {
  const lines = parseRecording(recording(`${name}.txt`));
  return assertDeterministic((options) => replayLive(claudeCodec, lines, { ...options, actOf })).events;
}

function only<T extends EventType>(events: readonly EventBody[], ...types: T[]): Extract<EventBody, { type: T }>[] {
  return events.filter((event): event is Extract<EventBody, { type: T }> => types.some((type) => type === event.type));
}

const shape = (events: readonly EventBody[]) =>
  events.map((event) => event.type).filter((type) => type !== 'skill_loaded' && type !== 'plugin_loaded');
const textOf = (events: readonly EventBody[]) =>
  only(events, 'text_delta')
    .filter((event) => !event.parentToolCallId)
    .map((event) => event.delta)
    .join('');

function spent(events: readonly EventBody[]) {
  const costs = only(events, 'cost');
  expect(costs.every((cost) => cost.scope === 'delta' && cost.source === 'reported')).toBe(true);
  const sum = (pick: (cost: (typeof costs)[number]) => number | null) =>
    costs.reduce((total, cost) => total + (pick(cost) ?? 0), 0);
  return {
    input: sum((cost) => cost.usage.inputTokens),
    output: sum((cost) => cost.usage.outputTokens),
    usd: Number(sum((cost) => cost.costUsd).toFixed(6)),
  };
}

describe('what a turn of Claude Code becomes', () => {
  it('is a session, a message in deltas, its tokens, its price and the end of the turn', () => {
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

  it('tells once which skills and plugins were loaded', () => {
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

  it('tells a command that failed from one that was denied', () => {
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

  it('says what a write or an edit changed on disk', () => {
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

  it('hangs what a subagent says and does below the call that started it', () => {
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

  it('counts what a subagent spent once, with the turn', () => {
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

  it('tells of a compaction', () => {
    expect(only(live('compact'), 'context_compacted')).toEqual([{ type: 'context_compacted', trigger: 'manual' }]);
  });

  it('hands over the value that answers a schema', () => {
    expect(only(live('structured-output'), 'turn_end').map((event) => event.structured)).toEqual([
      { name: 'Ada' },
      undefined,
    ]);
  });

  it('stops at the limit of turns', () => {
    expect(oneshot('max-turns').at(-1)).toEqual({ type: 'turn_end', status: 'max_turns', stopReason: 'max_turns' });
  });
});

describe('when the connection to the model breaks', () => {
  it('shows the answer of a retry without streaming, which only an assistant line has', () => {
    const events = oneshot('drop');
    expect(textOf(events)).toBe('PONG: hi [[drop]]');
    expect(only(events, 'retry')[0]).toMatchObject({ attempt: 1, by: 'agent', delayMs: 506 });
    // The request that broke was paid for too.
    expect(spent(events)).toEqual({ input: 2400, output: 35, usd: 0.0112 });
  });

  it('voids what was streamed of an abandoned message, and keeps the blocks that were whole', () => {
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

describe('a release that does not say which blocks it abandons (2.1.280)', () => {
  const cutOff = [
    { type: 'message_start', message: { id: 'm1', model: 'sonnet', usage: { input_tokens: 2, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'one two' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_stop' },
  ].map((event) => ({ type: 'stream_event', event }));
  const told = (...lines: object[]) => {
    const context = makeParseContext();
    return lines.flatMap((line) => adapter.parseEvent(JSON.stringify(line), context) ?? []).map(({ type }) => type);
  };

  it('has voided what was streamed when it repeats the request', () => {
    const retry = { type: 'system', subtype: 'api_retry', attempt: 1, error: 'unknown' };
    expect(told(...cutOff, retry)).toEqual([
      ...['message_start', 'text_delta', 'message_discard', 'message_stop', 'cost', 'retry'],
    ]);
  });

  it('has voided nothing when the turn was interrupted, or when a request beside it is repeated', () => {
    const retry = { type: 'system', subtype: 'api_retry', attempt: 1, error: 'unknown' };
    const result = { type: 'result', subtype: 'error_during_execution', terminal_reason: 'aborted_streaming' };
    expect(told(...cutOff, result)).not.toContain('message_discard');
    expect(told(...cutOff.slice(0, 3), retry)).not.toContain('message_discard');
  });
});

describe('a skill', () => {
  it('is told when the agent uses it', () => {
    const content = [{ type: 'tool_use', id: 't1', name: 'Skill', input: { skill: 'code-review' } }];
    const line = JSON.stringify({ type: 'assistant', message: { id: 'm1', content } });
    const told = adapter.parseEvent(line, makeParseContext());
    expect(told).toContainEqual({ type: 'skill_invoked', name: 'code-review' });
  });
});

describe('money and tokens of a result', () => {
  const usage = { input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 5, service_tier: 'priority' };
  const costs = (result: object) => {
    const line = JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'ok', ...result });
    const told = adapter.parseEvent(line, makeParseContext());
    return only(Array.isArray(told) ? told : told ? [told] : [], 'cost');
  };

  it('are counted from its usage where it names no models', () => {
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

  it('are those of the turn where a resumed process goes on with the totals of its session (2.1.280)', () => {
    const result = (output: number, total: number, costUSD: number) => ({
      ...{ type: 'result', subtype: 'success', is_error: false, result: 'ok', total_cost_usd: costUSD },
      ...{ usage: { input_tokens: 5, output_tokens: output }, modelUsage: { m: { outputTokens: total, costUSD } } },
    });
    const context = makeParseContext({ resumed: true });
    const told = [result(7, 47, 0.4), result(3, 50, 0.5)].flatMap(
      (line) => adapter.parseEvent(JSON.stringify(line), context) ?? [],
    );
    const costs = only(told, 'cost').map(({ usage: { outputTokens }, costUsd }) => [outputTokens, costUsd]);
    expect(costs).toEqual([
      [7, null],
      [3, expect.closeTo(0.1)],
    ]);
  });

  it('have a cost of 0 where that is reported, and none where nothing is', () => {
    expect(costs({ usage, total_cost_usd: 0 })).toMatchObject([{ costUsd: 0 }]);
    expect(costs({ total_cost_usd: 0 })).toMatchObject([{ usage: NO_USAGE, costUsd: 0 }]);
    expect(costs({ usage })).toMatchObject([{ costUsd: null }]);
    expect(costs({})).toEqual([]);
  });

  it('name the tier by which each message was charged', () => {
    expect(only(oneshot('hello'), 'cost').map(({ serviceTier }) => serviceTier)).toContain('standard');
  });
});

describe('when a turn fails', () => {
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
  it.each(failures)('names the cause of %s, shows no words of the agent, and fails the turn', (name, expected) => {
    const events = oneshot(name);
    expect(events.at(-2)).toMatchObject(expected);
    expect(events.at(-1)).toMatchObject({ type: 'turn_end', status: 'failed' });
    expect(textOf(events)).toBe('');
    for (const cost of only(events, 'cost')) expect(cost).toMatchObject({ usage: NO_USAGE, costUsd: 0 });
  });

  it('says at the first 429 that the CLI would go on retrying', () => {
    const events = oneshot('rate-limit-retrying');
    expect(only(events, 'rate_limit_error')).toEqual([
      expect.objectContaining({ type: 'rate_limit_error', retrying: true, retryAfterMs: 30_000 }),
    ]);
    expect(events.findIndex((event) => event.type === 'rate_limit_error')).toBe(
      events.findIndex((event) => event.type === 'retry') + 1,
    );
  });

  it('says how full the windows of a subscription are', () => {
    expect(only(oneshot('rate-limit-event'), 'rate_limit_status')).toEqual([
      {
        type: 'rate_limit_status',
        limited: false,
        windows: [{ window: 'five_hour', usedPercent: 91, resetsAt: 1_794_772_093_000, exhausted: false }],
      },
    ]);
  });

  it('says when a used-up window opens again', () => {
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

  it('asks for a login where there is none', () => {
    expect(only(live('not-logged-in'), 'auth_error')[0]?.message).toBe('Not logged in · Please run /login');
  });

  it('passes on why the CLI refuses to start', () => {
    const line = '--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons';
    const context = makeParseContext({ source: 'stderr' });
    expect(adapter.parseEvent(line, context)).toMatchObject({ type: 'error', code: 'AGENT_ERROR', message: line });
    expect(adapter.parseEvent('some warning', context)).toBeNull();
  });

  it('leaves lines that are not of the stream unread', () => {
    for (const line of ['', 'plain text', '{"half":', '[1]', '42', '{}']) {
      expect(adapter.parseEvent(line, makeParseContext())).toBeNull();
    }
  });
});

describe('the live conversation', () => {
  it('runs several turns in one process with one session_start', () => {
    const events = live('multi-turn');
    expect(only(events, 'session_start')).toHaveLength(1);
    expect(only(events, 'turn_end').map((event) => event.status)).toEqual(['completed', 'completed']);
    expect(spent(events).usd).toBe(0.01186);
  });

  it('says hello with an initialize request and sends a turn as one line', () => {
    const state = claudeCodec.open(makeResolvedOptions());
    expect(claudeCodec.hello(state).map((line) => JSON.parse(line))).toEqual([
      { type: 'control_request', request_id: 'mux-1', request: { subtype: 'initialize' } },
    ]);
    expect(claudeCodec.turn({ text: '-x\ny', attachments: [] }, state).map((line) => JSON.parse(line))).toEqual([
      { type: 'user', message: { role: 'user', content: '-x\ny' }, parent_tool_use_id: null },
    ]);
  });

  it('mentions attachments, which the CLI reads itself', () => {
    const attachments = ['/w/a.png', '/w/my notes.txt'].map((path) => ({ path, mimeType: '', name: '' }));
    const [line = ''] = claudeCodec.turn({ text: 'look', attachments }, openState());
    expect(JSON.parse(line).message.content).toBe('look\n\n@/w/a.png\n@"/w/my notes.txt"');
  });

  it('says all of a rule that it would take over, also of one that it does not know', () => {
    const suggestions = [
      { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'deny', destination: 'cliArg' },
      { type: 'replaceAll', rules: ['x'], destination: 'session' },
    ];
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, permission_suggestions: suggestions };
    const line = JSON.stringify({ type: 'control_request', request_id: 'r', request });
    const { events } = replayLive(claudeCodec, [line]);
    expect(only(events, 'approval_request')[0]?.options.map(({ label }) => label)).toEqual([
      'Allow',
      'Allow, and always deny Bash cliArg',
      'Allow, and take over {"type":"replaceAll","rules":["x"]} for this session',
      'Deny',
    ]);
  });

  it('asks for approval with the options that the agent suggests', () => {
    expect(only(live('approval'), 'approval_request')).toEqual([
      {
        type: 'approval_request',
        requestId: '875456bf-d606-40b0-a339-c02a7bf8e21a',
        toolName: 'Bash',
        title: 'Bash: touch /workspace/ok.txt && echo done (blocked path /workspace/ok.txt)',
        input: { command: 'touch /workspace/ok.txt && echo done', description: 'x' },
        toolCallId: 'toolu_3',
        options: [
          { id: 'allow', label: 'Allow', kind: 'allow_once' },
          {
            id: 'always-0',
            label: 'Allow, and always allow Bash(touch /workspace/ok.txt && echo done) in this folder',
            kind: 'allow_always',
          },
          { id: 'always-1', label: 'Allow, and allow the folders /workspace for this session', kind: 'allow_always' },
          { id: 'always-2', label: 'Allow, and switch to acceptEdits for this session', kind: 'allow_always' },
          { id: 'deny', label: 'Deny', kind: 'deny_once' },
        ],
      },
    ]);
  });

  function answered(name: string, answer: Parameters<typeof claudeCodec.resolve>[1]): unknown[] {
    const lines = parseRecording(recording(`${name}.txt`)).filter((line) => line.direction === 'in');
    const { sent } = replayLive(claudeCodec, lines, { answer: () => answer });
    return sent.filter(({ by }) => by === 'resolve').map(({ line }) => JSON.parse(line).response.response);
  }

  it('answers an approval once, for good, changed, or not at all', () => {
    const input = { command: 'touch /workspace/ok.txt && echo done', description: 'x' };
    expect(answered('approval', { kind: 'approval', answer: { decision: 'allow' } })).toEqual([
      { behavior: 'allow', updatedInput: input },
    ]);
    const always = { decision: 'allow', optionId: 'always-2' } as const;
    expect(answered('approval', { kind: 'approval', answer: always })).toEqual([
      {
        behavior: 'allow',
        updatedInput: input,
        updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      },
    ]);
    const changed = { decision: 'allow', updatedInput: { command: 'true' } } as const;
    expect(answered('approval', { kind: 'approval', answer: changed })).toEqual([
      { behavior: 'allow', updatedInput: { command: 'true' } },
    ]);
    expect(answered('approval', { kind: 'approval', answer: { decision: 'deny', message: 'no' } })).toEqual([
      { behavior: 'deny', message: 'no' },
    ]);
    expect(answered('approval', { kind: 'cancelled' })).toEqual([
      { behavior: 'deny', message: 'Nobody answered.', interrupt: true },
    ]);
  });

  it('marks the tool call of a denied approval', () => {
    expect(only(live('approval-denied'), 'tool_error')[0]).toMatchObject({ error: 'The user said no.', denied: true });
  });

  it('puts questions to the user and files the answers by the text of the question', () => {
    const [first] = only(live('questions'), 'input_required');
    expect(first?.questions).toEqual([
      {
        id: 'Which colour?',
        question: 'Which colour?',
        header: 'Colour',
        options: [
          { label: 'Red', description: 'warm' },
          { label: 'Blue', description: 'cold' },
        ],
        multiple: false,
        freeText: true,
      },
      {
        id: 'Which sizes?',
        question: 'Which sizes?',
        header: 'Size',
        options: [
          { label: 'S', description: 'small' },
          { label: 'L', description: 'large' },
        ],
        multiple: true,
        freeText: true,
      },
    ]);
    const answers = { 'Which colour?': ['Blue'], 'Which sizes?': ['S', 'L'] };
    expect(answered('questions', { kind: 'input', answer: { answers } })[0]).toMatchObject({
      behavior: 'allow',
      updatedInput: { questions: expect.any(Array), answers: { 'Which colour?': 'Blue', 'Which sizes?': 'S, L' } },
    });
    expect(answered('questions', { kind: 'input', answer: { declined: true } })[0]).toEqual({
      behavior: 'deny',
      message: 'The user declined to answer.',
    });
  });

  it('asks before it leaves plan mode', () => {
    expect(only(live('plan-mode'), 'approval_request')[0]).toMatchObject({ toolName: 'ExitPlanMode' });
  });

  it('refuses at once what nobody here can answer', () => {
    const line = JSON.stringify({ type: 'control_request', request_id: 'r', request: { subtype: 'elicitation' } });
    const context = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: true };
    const { events, replies } = claudeCodec.decode(line, openState(), context);
    expect(events).toEqual([]);
    expect(JSON.parse(replies?.[0] ?? '').response).toMatchObject({ subtype: 'error', request_id: 'r' });
  });

  it.each(['interrupt', 'interrupt-tool'])('ends the turn of %s as interrupted and takes the next one', (name) => {
    const events = live(name);
    expect(only(events, 'turn_end').map((event) => event.status)).toEqual(['interrupted', 'completed']);
    expect(only(events, 'interrupted')).toEqual([{ type: 'interrupted', by: 'caller' }]);
  });

  it('withdraws a request that an interrupt overtook', () => {
    const asked = only(live('interrupt-while-asking'), 'approval_request', 'approval_resolved');
    expect(asked[1]).toEqual({
      type: 'approval_resolved',
      requestId: asked[0]?.requestId,
      outcome: 'cancelled',
      by: 'agent',
    });
  });

  it('interrupts on a signal in the one-shot mode as well', () => {
    expect(oneshot('abort-sigint').at(-1)).toMatchObject({ type: 'turn_end', status: 'interrupted' });
  });

  it('counts a steering input into the running turn, also where the agent makes a turn of its own of it', () => {
    const uuids: string[] = [];
    const lines = parseRecording(recording('steering.txt'));
    const state = claudeCodec.open(makeResolvedOptions());
    const context = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: true };
    const events: EventBody[] = [];
    let ours = '';
    for (const { direction, line } of lines) {
      const message = JSON.parse(line);
      if (direction === 'out' && message.uuid) {
        const [sent = ''] = claudeCodec.steer?.({ text: message.message.content, attachments: [] }, state) ?? [];
        expect(JSON.parse(sent)).toMatchObject({ priority: 'next', message: { content: message.message.content } });
        ours = JSON.parse(sent).uuid;
        uuids.push(ours);
      } else if (direction === 'in') {
        // The recording has the ids that were sent then.
        if (message.type === 'command_lifecycle') message.command_uuid = ours;
        events.push(...claudeCodec.decode(JSON.stringify(message), state, context).events);
      }
    }
    expect(new Set(uuids).size).toBe(3);
    expect(uuids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(only(events, 'turn_end')).toHaveLength(3);
    expect(textOf(events)).toContain('PONG: plain queued');
  });

  it('switches model and permissions, and says when the agent refuses', () => {
    const state = openState();
    const requests = [
      ...(claudeCodec.setModel?.('haiku', state) ?? []),
      ...(claudeCodec.setApprovalMode?.('deny', state) ?? []),
      ...(claudeCodec.interrupt?.(state) ?? []),
    ].map((line) => JSON.parse(line));
    expect(requests.map((request) => request.request)).toEqual([
      { subtype: 'set_model', model: 'haiku' },
      { subtype: 'set_permission_mode', mode: 'dontAsk' },
      { subtype: 'interrupt' },
    ]);
    expect(new Set(requests.map((request) => request.request_id)).size).toBe(3);
    expect(only(live('switching'), 'error')[0]?.message).toContain('bypassPermissions');
  });

  it('answers a request once, and not at all when it was withdrawn', () => {
    const state = openState();
    const context = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: true };
    const pending: PendingRequest = { kind: 'approval', requestId: 'r', toolName: 'Bash', options: [] };
    const request = {
      type: 'control_request',
      request_id: 'r',
      request: { subtype: 'can_use_tool', tool_name: 'Bash' },
    };
    claudeCodec.decode(JSON.stringify(request), state, context);
    expect(claudeCodec.resolve(pending, { kind: 'cancelled' }, state)).toHaveLength(1);
    expect(claudeCodec.resolve(pending, { kind: 'cancelled' }, state)).toEqual([]);
    claudeCodec.decode(JSON.stringify(request), state, context);
    claudeCodec.decode(JSON.stringify({ type: 'control_cancel_request', request_id: 'r' }), state, context);
    expect(claudeCodec.resolve(pending, { kind: 'cancelled' }, state)).toEqual([]);
  });
});

describe('the launch', () => {
  const ID = '7d4a1c52-6f0b-4e3d-9b8a-2c5e1f7a6d90';
  const args = (options: Partial<ResolvedRunOptions> = {}) =>
    adapter.buildSpawnArgs(makeResolvedOptions({ agent: 'claude', mode: 'live', ...options }));
  const joined = (options: Partial<ResolvedRunOptions> = {}) => args(options).args.join(' ');

  it('speaks stream-json both ways by default and asks over stdio', () => {
    const { command, args: argv, stdin, usePty } = args();
    expect([command, stdin, usePty]).toEqual(['claude', undefined, false]);
    expect(argv.join(' ')).toContain('--input-format stream-json --permission-prompt-tool stdio');
    expect(argv.join(' ')).toContain('--permission-mode=default');
    expect(argv).toEqual(expect.arrayContaining(['-p', '--verbose', '--include-partial-messages']));
  });

  it('gives a one-shot process its prompt on stdin, so that one that starts with a dash is safe', () => {
    const plan = args({ mode: 'oneshot', approvalMode: 'deny', prompt: '--help' });
    expect(plan.stdin).toBe('--help');
    expect(plan.args).not.toContain('--help');
    expect(plan.args.join(' ')).toContain('--permission-prompts none --permission-mode=dontAsk');
    expect(plan.args).not.toContain('--input-format');
  });

  it.each([
    [{ sessionId: ID }, `--resume=${ID}`],
    [{ forkSessionId: ID }, `--resume=${ID} --fork-session`],
    [{ noSession: true }, '--no-session-persistence'],
    [{ model: 'haiku' }, '--model=haiku'],
    [{ thinkingEffort: 'xhigh' }, '--effort=xhigh'],
    [{ model: 'claude-haiku-4-5', thinkingBudgetTokens: 2345 }, '--model=claude-haiku-4-5 --max-thinking-tokens=2345'],
    [{ maxTurns: 3 }, '--max-turns=3'],
    [{ allowedTools: ['Read', 'Bash(git *)'] }, '--allowedTools=Read --allowedTools=Bash(git *)'],
    [{ deniedTools: ['WebFetch'] }, '--disallowedTools=WebFetch'],
    [{ addDirs: ['/a', '/b'] }, '--add-dir=/a --add-dir=/b'],
    [{ skills: ['/skills/a', '/skills/b/SKILL.md'] }, '--plugin-dir=/skills/a --plugin-dir=/skills/b'],
    [{ outputSchema: { type: 'object' } }, '--json-schema={"type":"object"}'],
    [{ systemPrompt: 'be brief' }, '--append-system-prompt=be brief'],
    [{ systemPrompt: 'be brief', systemPromptMode: 'replace' }, '--system-prompt=be brief'],
    [{ systemPrompt: 'x', sessionId: ID }, '--append-system-prompt=x --system-prompt-snapshot off'],
    [{ approvalMode: 'yolo' }, '--permission-mode=bypassPermissions'],
    [{ approvalMode: 'accept-edits' }, '--permission-mode=acceptEdits'],
    [{ approvalMode: 'plan' }, '--permission-mode=plan'],
    [{ nativePermissionMode: 'auto', approvalMode: 'deny' }, '--permission-mode=auto'],
  ] satisfies [Partial<ResolvedRunOptions>, string][])('turns %o into %s', (options, expected) => {
    expect(joined(options)).toContain(expected);
  });

  it.each([undefined, 'sonnet', 'claude-opus-4-6', 'claude-sonnet-5-5', 'someone/claude-haiku-4-5'])(
    'refuses a thinking budget for a model that would ignore it: %s',
    (model) => {
      const options = makeResolvedOptions({
        agent: 'claude',
        mode: 'live',
        thinkingBudgetTokens: 2345,
        ...(model ? { model } : {}),
      });
      expect(() => adapter.buildSpawnArgs(options)).toThrow('takes no thinking budget');
    },
  );

  it.each([{ sessionId: 'the name of another' }, { forkSessionId: 'c6b6' }])('takes no %o for an id', (options) => {
    expect(() => args(options)).toThrow('is not the whole id of a session');
  });

  it('mentions no file whose name would end its quotes', () => {
    const attachments = [{ path: '/a" @"/etc/passwd', mimeType: 'text/plain', name: 'a' }];
    expect(() => args({ mode: 'oneshot', attachments })).toThrow('attachments: ');
  });

  it('keeps MCP servers, which may hold secrets, out of the arguments', () => {
    const { args: argv, files } = args({
      scratchDir: '/scratch',
      mcpServers: {
        calc: { command: 'calc', env: { TOKEN: 'secret' } },
        web: { type: 'http', url: 'http://localhost' },
      },
    });
    expect(argv.join(' ')).toContain('--mcp-config=/scratch/mcp.json');
    expect(argv.join(' ')).not.toContain('secret');
    expect(JSON.parse(files?.['mcp.json'] ?? '')).toEqual({
      mcpServers: {
        calc: { type: 'stdio', command: 'calc', env: { TOKEN: 'secret' } },
        web: { type: 'http', url: 'http://localhost' },
      },
    });
  });

  it('puts a system prompt that is too long for an argument into a file', () => {
    const { args: argv, files } = args({ scratchDir: '/scratch', systemPrompt: 'x'.repeat(200_000) });
    expect(argv.join(' ')).toContain('--append-system-prompt-file=/scratch/system-prompt.md');
    expect(files?.['system-prompt.md']).toHaveLength(200_000);
  });
});
