import { readFileSync } from 'node:fs';
import type { EventBody, EventType, HttpCall, HttpMessage, PendingRequest, RequestAnswer } from '@agent-mux/core';
import { assertDeterministic, makeResolvedOptions, REPLAY_NOW } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { familyCodec } from './codec.ts';
import { type FamilyDialect, KILO_DIALECT, OPENCODE_DIALECT } from './dialect.ts';
import type { FamilyState } from './state.ts';
import { costEvent } from './usage.ts';

const SESSION = 'ses_fresh';
const BUILD_RULES = [
  { permission: '*', pattern: '*', action: 'allow' },
  { permission: 'read', pattern: '*.env', action: 'ask' },
];

interface Talk {
  events: EventBody[];
  calls: HttpCall[];
}

interface Script {
  options?: Parameters<typeof makeResolvedOptions>[0];
  answer?: RequestAnswer;
  /** After so many events of the stream. */
  interruptAfter?: number;
  storeState?: boolean;
}

/** A recorded stream of events through the codec, with a server that answers every call as the real one does. */
function replay(dialect: FamilyDialect, name: string, script: Script = {}): Talk {
  const file = new URL(`../${dialect.agent}/recordings/serve-${name}.jsonl`, import.meta.url);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const sessionId = /"sessionID":"(ses_\w+)","status":\{"type":"busy"/.exec(lines.join('\n'))![1]!;
  return converse(dialect, lines, sessionId, script);
}

function converse(dialect: FamilyDialect, lines: readonly string[], sessionId: string, script: Script): Talk {
  const codec = familyCodec(dialect, () => ({}));
  let state: FamilyState = codec.open(makeResolvedOptions({ mode: 'serve', cwd: '/workspace', ...script.options }));
  const talk: Talk = { events: [], calls: [] };
  const context = { now: REPLAY_NOW, sessionId: undefined, turnIndex: 0, turnActive: true };
  const say = (calls: readonly HttpCall[]): void => {
    for (const call of calls) {
      talk.calls.push(call);
      const reply = answerOf(call, sessionId);
      if (reply) hear({ kind: 'reply', tag: call.tag, headers: {}, ...reply });
    }
  };
  const hear = (message: HttpMessage): void => {
    const { events, replies = [] } = codec.decode(message, state, context);
    talk.events.push(...events);
    if (script.storeState) state = JSON.parse(JSON.stringify(state));
    say(replies);
    for (const event of events) {
      const request = pendingOf(event);
      if (request && script.answer) say(codec.resolve(request, script.answer, state));
    }
  };
  say(codec.hello(state));
  say(codec.turn({ text: 'go', attachments: [] }, state));
  for (const [index, data] of lines.entries()) {
    if (index === script.interruptAfter) say(codec.interrupt!(state));
    hear({ kind: 'event', data });
  }
  return talk;
}

function answerOf({ tag, method, path }: HttpCall, sessionId: string): { status: number; body: unknown } | undefined {
  if (path.startsWith('/session/status')) return { status: 200, body: {} };
  switch (tag) {
    case 'health':
      return { status: 200, body: { healthy: true, version: '1.18.33' } };
    case 'agents':
      return { status: 200, body: ['build', 'code', 'plan'].map((name) => ({ name, permission: BUILD_RULES })) };
    case 'create':
      return { status: 200, body: { id: sessionId } };
    case 'mcp':
      return { status: 200, body: { labmcp: { status: 'connected' } } };
    case 'prompt':
      return { status: 204, body: '' };
    default:
      return method === 'POST' ? { status: 200, body: true } : undefined;
  }
}

function pendingOf(event: EventBody): PendingRequest | undefined {
  if (event.type === 'input_required') return { kind: 'input', requestId: event.requestId };
  if (event.type !== 'approval_request') return undefined;
  return { kind: 'approval', requestId: event.requestId, toolName: event.toolName, options: event.options };
}

function only<T extends EventType>(events: readonly EventBody[], ...types: T[]): Extract<EventBody, { type: T }>[] {
  return events.filter((event): event is Extract<EventBody, { type: T }> => types.some((type) => type === event.type));
}

const shape = ({ events }: Talk) =>
  events
    .map(({ type }) => type)
    .filter((type, i, all) => type !== 'title' && (type !== 'text_delta' || all[i - 1] !== 'text_delta'));
const textOf = ({ events }: Talk) =>
  only(events, 'text_delta')
    .filter(({ parentToolCallId }) => parentToolCallId === undefined)
    .map(({ delta }) => delta)
    .join('');
const paths = ({ calls }: Talk) => calls.map(({ method, path }) => `${method} ${path.split('?')[0]}`);

const opencode = (name: string, script?: Script) => replay(OPENCODE_DIALECT, name, script);
const kilo = (name: string, script?: Script) => replay(KILO_DIALECT, name, script);

describe('a turn over the HTTP API', () => {
  it('goes from the health of the server to a session, a prompt and its answer', () => {
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

  it('gives the same events for the same bytes, also when its state was stored between any two of them', () => {
    for (const name of ['tool', 'subagent', 'question', 'steer']) {
      const answer: RequestAnswer = { kind: 'input', answer: { answers: { '0': ['A'] } } };
      assertDeterministic((options) => opencode(name, { ...options, answer }));
      assertDeterministic((options) => kilo(name, { ...options, answer }));
    }
  });

  it('tells a tool from its start over its growing output to its result', () => {
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

  it('names the files that an edit has changed', () => {
    expect(only(opencode('edit').events, 'file_change')).toEqual([
      { type: 'file_change', path: '/workspace/made.txt', change: 'create', toolCallId: 'call_19' },
    ]);
  });

  it('tells the tools of MCP servers as such', () => {
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

  it('takes the structured answer from the message', () => {
    expect(opencode('structured').events.at(-1)).toMatchObject({
      type: 'turn_end',
      status: 'completed',
      structured: { answer: '42' },
    });
  });

  it('counts the tokens of a subagent, and puts its words under its call', () => {
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

  it('lets both prompts of a steered turn end as one', () => {
    for (const talk of [opencode('steer'), kilo('steer')]) {
      expect(only(talk.events, 'message_start')).toHaveLength(2);
      expect(only(talk.events, 'turn_end')).toEqual([expect.objectContaining({ status: 'completed' })]);
      expect(talk.events.at(-1)?.type).toBe('turn_end');
    }
    expect(textOf(opencode('steer'))).toContain('PONG: steer');
  });

  it('says nothing of sessions that are not its own', () => {
    const lines = readFileSync(new URL('../opencode/recordings/serve-tool.jsonl', import.meta.url), 'utf8').split('\n');
    const { events } = converse(OPENCODE_DIALECT, lines, SESSION, {});
    expect(events.map(({ type }) => type)).toEqual(['session_start']);
  });
});

describe('asking', () => {
  it('shows what is asked for, and answers once', () => {
    const talk = opencode('approval-once', { answer: { kind: 'approval', answer: { decision: 'allow' } } });
    expect(only(talk.events, 'approval_request')).toMatchObject([
      { toolName: 'bash', kind: 'execute', title: 'bash: rm -f once.txt', toolCallId: 'call_6' },
    ]);
    expect(talk.calls.at(-1)).toMatchObject({
      path: expect.stringMatching(/^\/permission\/per_\w+\/reply/),
      body: { reply: 'once' },
    });
  });

  it('rejects with a message, so that the model goes on, and closes the call as denied', () => {
    for (const talk of [
      opencode('approval-reject', { answer: { kind: 'approval', answer: { decision: 'deny' } } }),
      kilo('approval-reject', { answer: { kind: 'approval', answer: { decision: 'deny' } } }),
    ]) {
      expect(talk.calls.at(-1)?.body).toEqual({ reply: 'reject', message: expect.stringMatching(/\w/) });
      expect(only(talk.events, 'tool_error')).toMatchObject([{ toolName: 'bash', denied: true }]);
      expect(talk.events.at(-1)).toMatchObject({ type: 'turn_end', status: 'completed' });
    }
  });

  it('answers for a tool on the list of allowed tools without asking anybody', () => {
    const talk = opencode('approval-once', { options: { allowedTools: ['bash'] } });
    expect(only(talk.events, 'approval_request')).toEqual([]);
    expect(talk.calls.at(-1)?.body).toEqual({ reply: 'once' });
  });

  it('hands a question on and the answers back in their order', () => {
    const answer: RequestAnswer = { kind: 'input', answer: { answers: { '0': ['A'] } } };
    for (const talk of [opencode('question', { answer }), kilo('question', { answer })]) {
      const [asked] = only(talk.events, 'input_required');
      expect(asked?.questions).toMatchObject([
        { id: '0', question: 'Which?', header: 'Pick', multiple: false, options: [{ label: 'A' }, { label: 'B' }] },
      ]);
      expect(talk.calls.at(-1)).toMatchObject({ path: expect.stringContaining('/reply'), body: { answers: [['A']] } });
    }
    const declined = opencode('question', { answer: { kind: 'input', answer: { declined: true } } });
    expect(paths(declined).at(-1)).toMatch(/^POST \/question\/que_\w+\/reject$/);
  });

  it('answers what a subagent asks for by the rules of the session, and asks where they ask', () => {
    const child = { id: 'ses_child', parentID: SESSION };
    const asked = (permission: string, sessionID: string) =>
      JSON.stringify({ type: 'permission.asked', properties: { id: `per_${permission}`, sessionID, permission } });
    const lines = [
      JSON.stringify({ type: 'session.created', properties: { sessionID: child.id, info: child } }),
      asked('grep', child.id),
      asked('bash', child.id),
      asked('bash', 'ses_of_somebody_else'),
    ];
    const prompt = converse(OPENCODE_DIALECT, lines, SESSION, { options: { approvalMode: 'prompt' } });
    expect(prompt.calls.at(-1)).toMatchObject({ path: expect.stringContaining('per_grep'), body: { reply: 'once' } });
    expect(only(prompt.events, 'approval_request')).toMatchObject([{ requestId: 'per_bash' }]);
    const yolo = converse(OPENCODE_DIALECT, lines, SESSION, { options: { approvalMode: 'yolo' } });
    expect(yolo.calls.slice(-2).map(({ body }) => body)).toEqual([{ reply: 'once' }, { reply: 'once' }]);
    expect(only(yolo.events, 'approval_request')).toEqual([]);
  });
});

describe('trouble', () => {
  it('tells a refused key once, though the server says it several times', () => {
    for (const talk of [opencode('auth-error'), kilo('auth-error')]) {
      expect(only(talk.events, 'auth_error')).toMatchObject([{ message: 'scripted 401' }]);
      expect(only(talk.events, 'turn_end')).toEqual([{ type: 'turn_end', status: 'failed' }]);
    }
  });

  it('tells a rate limit with the time of its end, while the server still waits', () => {
    const [limit] = only(opencode('rate-limit').events, 'rate_limit_error');
    expect(limit).toMatchObject({ message: 'scripted 429', retrying: true, resetsAt: 1794767177807 });
    expect(only(kilo('rate-limit').events, 'rate_limit_error')).toHaveLength(1);
  });

  it('ends an interrupted turn once, and hears no late news of it in the next one', () => {
    for (const dialect of [OPENCODE_DIALECT, KILO_DIALECT]) {
      const talk = replay(dialect, 'abort', { interruptAfter: 20 });
      expect(paths(talk).some((path) => path.endsWith('/abort'))).toBe(true);
      expect(only(talk.events, 'turn_end')).toEqual([{ type: 'turn_end', status: 'interrupted' }]);
      expect(talk.events.at(-1)?.type).toBe('turn_end');
    }
  });

  it('aborts only once the server has begun', () => {
    const talk = opencode('abort', { interruptAfter: 0 });
    const abort = talk.calls.findIndex(({ path }) => path.includes('/abort'));
    expect(abort).toBeGreaterThan(talk.calls.findIndex(({ tag }) => tag === 'prompt'));
    expect(only(talk.events, 'turn_end')).toEqual([{ type: 'turn_end', status: 'interrupted' }]);
  });

  const said = (type: string, properties: Record<string, unknown>) =>
    JSON.stringify({ type, properties: { sessionID: SESSION, ...properties } });
  const message = (id: string, time: Record<string, number>) =>
    said('message.updated', { info: { id, role: 'assistant', time, finish: time.completed ? 'stop' : undefined } });
  const part = (id: string, text: string, end?: number) =>
    said('message.part.updated', { part: { id, messageID: 'msg_1', type: 'text', text, time: { start: 1, end } } });
  const delta = (partID: string, text: string) =>
    said('message.part.delta', { messageID: 'msg_1', partID, field: 'text', delta: text });
  const busy = said('session.status', { status: { type: 'busy' } });

  it('takes back what it has told of an answer that the model must give again', () => {
    const retry = { type: 'retry', attempt: 1, message: 'socket closed', next: REPLAY_NOW + 2000 };
    const lines = [
      busy,
      message('msg_1', { created: 1 }),
      part('prt_1', ''),
      delta('prt_1', 'half an ans'),
      said('session.status', { status: retry }),
      part('prt_1', 'half an ans', 2),
      part('prt_2', ''),
      delta('prt_2', 'the answer'),
      message('msg_1', { created: 1, completed: 3 }),
      said('session.idle', {}),
    ];
    const { events } = converse(OPENCODE_DIALECT, lines, SESSION, {});
    expect(events.slice(2)).toMatchObject([
      { type: 'text_delta', delta: 'half an ans' },
      { type: 'message_discard', reason: 'socket closed' },
      { type: 'retry', attempt: 1, delayMs: 2000, by: 'agent' },
      { type: 'text_delta', delta: 'the answer' },
      { type: 'message_stop' },
      { type: 'turn_end', status: 'completed' },
    ]);
  });

  it('lets kilo go on when it asks whether the network is back, but not for ever', () => {
    const asked = said('session.network.asked', { id: 'que_1', message: 'Connection reset by server' });
    const opened = said('session.turn.open', {});
    const close = said('session.turn.close', { reason: 'error' });
    const talk = converse(KILO_DIALECT, [opened, busy, asked, asked, asked, asked, close], SESSION, {});
    const replies = paths(talk).filter((path) => path.includes('/network/'));
    const go = 'POST /network/que_1/reply';
    expect(replies).toEqual([go, go, go, 'POST /network/que_1/reject']);
    expect(only(talk.events, 'retry')).toHaveLength(3);
    expect(talk.events.slice(-2)).toMatchObject([
      { type: 'error', code: 'NETWORK_ERROR' },
      { type: 'turn_end', status: 'failed' },
    ]);
  });

  it('keeps the error of a message that is complete and was never finished', () => {
    const error = { name: 'ContextOverflowError', data: { message: 'too long' } };
    const unfinished = { id: 'msg_1', role: 'assistant', time: { created: 1, completed: 2 } };
    const lines = [
      busy,
      said('session.error', { error }),
      said('message.updated', { info: unfinished }),
      said('session.idle', {}),
    ];
    const { events } = converse(KILO_DIALECT, lines, SESSION, {});
    expect(only(events, 'context_exceeded')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'turn_end', status: 'failed' });
  });

  it('forgets an error that the agent has overcome', () => {
    const error = { name: 'ContextOverflowError', data: { message: 'too long' } };
    const lines = [
      busy,
      said('session.error', { error }),
      said('session.compacted', {}),
      message('msg_1', { created: 1 }),
      message('msg_1', { created: 1, completed: 2 }),
      said('session.idle', {}),
    ];
    const { events } = converse(OPENCODE_DIALECT, lines, SESSION, {});
    expect(only(events, 'context_exceeded')).toEqual([]);
    expect(only(events, 'context_compacted')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'turn_end', status: 'completed' });
  });

  it('does not take the second end of an interrupted turn for the end of the next one', () => {
    const codec = familyCodec(OPENCODE_DIALECT, () => ({}));
    const state = codec.open(makeResolvedOptions({ mode: 'serve', nativePermissionMode: 'build' }));
    const context = { now: REPLAY_NOW, sessionId: SESSION, turnIndex: 0, turnActive: true };
    const hear = (message: HttpMessage) => codec.decode(message, state, context);
    const event = (data: string) => hear({ kind: 'event', data });
    hear({ kind: 'reply', tag: 'create', status: 200, body: { id: SESSION }, headers: {} });
    const input = { text: 'go', attachments: [] };
    codec.turn(input, state);
    for (const line of [busy, message('msg_1', { created: 1 })]) event(line);
    codec.interrupt!(state);
    expect(event(said('session.idle', {})).events).toMatchObject([{ type: 'interrupted' }, { status: 'interrupted' }]);
    codec.turn(input, state);
    event(message('msg_1', { created: 1, completed: 2 }));
    expect(event(said('session.idle', {}))).toEqual({ events: [] });
    event(busy);
    expect(event(said('session.idle', {})).replies).toMatchObject([{ tag: 'status' }]);
    for (const line of [message('msg_2', { created: 3 }), message('msg_2', { created: 3, completed: 4 })]) event(line);
    expect(event(said('session.idle', {})).events).toMatchObject([{ type: 'turn_end', status: 'completed' }]);
  });
});

describe('tokens and money', () => {
  it('count reasoning as output, and a price of 0 as unknown', () => {
    const tokens = { input: 10, output: 4, reasoning: 6, cache: { read: 0, write: 0 } };
    expect(costEvent({ tokens, cost: 0 })).toMatchObject([
      { costUsd: null, usage: { outputTokens: 10, totalTokens: 20 } },
    ]);
    expect(costEvent({ tokens: { ...tokens, input: 0, output: 0, reasoning: 0 }, cost: 0 })).toEqual([]);
  });
});
