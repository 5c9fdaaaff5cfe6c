import {
  type DecodeContext,
  type EventBody,
  NO_USAGE,
  type RequestAnswer,
  type ResolvedRunOptions,
} from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { bySessionId, externalCodec } from './codec.ts';
import type { ExternalState } from './state.ts';

const OPTIONS: ResolvedRunOptions = {
  agent: 'ext',
  prompt: 'hi',
  cwd: '/project',
  runId: 's1',
  mode: 'live',
  approvalMode: 'prompt',
  approvalModeGiven: false,
  modeGiven: false,
  cwdGiven: false,
  systemPromptMode: 'append',
  attachments: [],
  invocation: { mode: 'local' },
  retryPolicy: { maxRetries: 0, initialDelayMs: 1, maxDelayMs: 1, multiplier: 1, retryOn: [] },
  scratchDir: '/scratch',
};
const IN_TURN: DecodeContext = { now: 1_000, turnActive: true };

function open(options: Partial<ResolvedRunOptions> = {}) {
  const state = externalCodec.open({ ...OPTIONS, ...options });
  const receive = (message: Record<string, unknown> | string, context: Partial<DecodeContext> = {}) => {
    const line = typeof message === 'string' ? message : JSON.stringify({ session_id: 's1', ...message });
    // A state that does not survive JSON could not be stored.
    Object.assign(state, JSON.parse(JSON.stringify(state)));
    return externalCodec.decode(line, state, { ...IN_TURN, ...context });
  };
  return { state, receive, events: (message: Record<string, unknown> | string) => receive(message).events };
}

const sent = (lines: string[]) => lines.map((line): unknown => JSON.parse(line));
const approval = (requestId: string) => ({ kind: 'approval', requestId, toolName: 't', options: [] }) as const;

describe('messages to an external adapter', () => {
  it('start with the session, its folder and its approval mode', () => {
    const { state } = open({ approvalMode: 'plan' });
    expect(sent(externalCodec.handshake(state))).toEqual([
      { type: 'session.start', session_id: 's1', protocol: 1, cwd: '/project', approval_mode: 'plan' },
    ]);
  });

  it('name the session to resume or to fork, and the model', () => {
    const { state } = open({ sessionId: 'old', model: 'm1' });
    expect(sent(externalCodec.handshake(state))).toMatchObject([{ resume: 'old', model: 'm1' }]);
    expect(sent(externalCodec.handshake(open({ forkSessionId: 'old' }).state))).toMatchObject([{ fork: 'old' }]);
  });

  it('send the files of a turn before its text', () => {
    const { state } = open();
    const attachments = [{ path: '/data/a.csv', mimeType: 'text/csv', name: 'a.csv' }];
    expect(sent(externalCodec.turn({ text: 'read it\nplease', attachments }, state))).toEqual([
      {
        type: 'file.input',
        session_id: 's1',
        file_name: 'a.csv',
        file_mime_type: 'text/csv',
        file_path: '/data/a.csv',
      },
      { type: 'user.input', session_id: 's1', content: 'read it\nplease' },
    ]);
  });

  it('stop a turn and close the session', () => {
    const { state } = open();
    expect(sent(externalCodec.interrupt?.(state) ?? [])).toEqual([{ type: 'stop', session_id: 's1' }]);
    expect(sent(externalCodec.close?.(state) ?? [])).toEqual([{ type: 'session.close', session_id: 's1' }]);
  });
});

describe('messages of an external adapter', () => {
  it('are text, thinking or log, as the channel says; text is the default', () => {
    const { events } = open();
    expect(events({ type: 'output', content: 'hm', channel: 'thinking' })).toEqual([
      { type: 'thinking_start' },
      { type: 'thinking_delta', delta: 'hm' },
    ]);
    expect(events({ type: 'output', content: ' so', channel: 'thinking' })).toEqual([
      { type: 'thinking_delta', delta: ' so' },
    ]);
    expect(events({ type: 'output', content: 'Hello' })).toEqual([
      { type: 'thinking_stop' },
      { type: 'text_delta', delta: 'Hello' },
    ]);
    expect(events({ type: 'output', content: 'warning', channel: 'stderr' })).toEqual([
      { type: 'log', source: 'stderr', line: 'warning' },
    ]);
    expect(events({ type: 'output', content: 'kept', channel: 'of-a-newer-adapter' })).toEqual([
      { type: 'log', source: 'stdout', line: 'kept' },
    ]);
  });

  it('report the native session and model', () => {
    const { events } = open();
    expect(events({ type: 'session.started', native_session_id: 'n1', model: 'm1' })).toEqual([
      { type: 'session_start', sessionId: 'n1', model: 'm1', cwd: '/project' },
    ]);
  });

  it('end a turn, with their status or the one that follows from its events', () => {
    const ended = (before: (given: ReturnType<typeof open>) => void, fields = {}) => {
      const given = open();
      before(given);
      return given.events({ type: 'turn.complete', ...fields });
    };
    expect(ended(() => {})).toEqual([{ type: 'turn_end', status: 'completed' }]);
    expect(ended(() => {}, { status: 'refused' })).toEqual([{ type: 'turn_end', status: 'refused' }]);
    expect(ended(() => {}, { status: 'great' })).toEqual([{ type: 'turn_end', status: 'completed' }]);
    expect(ended(({ state }) => externalCodec.interrupt?.(state))).toEqual([
      { type: 'turn_end', status: 'interrupted' },
    ]);
    expect(ended(({ events }) => events({ type: 'error', code: 'other', message: 'no' }))).toEqual([
      { type: 'turn_end', status: 'failed' },
    ]);
    expect(ended(({ events }) => events({ type: 'error', code: 'other', message: 'no', recoverable: true }))).toEqual([
      { type: 'turn_end', status: 'completed' },
    ]);
  });

  it('cannot end a turn that is not running', () => {
    const { receive } = open();
    expect(receive({ type: 'turn.complete' }, { turnActive: false }).events).toMatchObject([{ type: 'debug' }]);
  });

  it('output files, tools, changes, plans and usage', () => {
    const { events } = open();
    const seen = [
      events({ type: 'file.output', file_name: 'r.png', file_mime_type: 'image/png', file_path: '/out/r.png' }),
      events({ type: 'tool.start', tool_call_id: 'c1', tool: 'read', input: { path: 'a' } }),
      events({ type: 'tool.result', tool_call_id: 'c1', output: 'text' }),
      events({ type: 'tool.start', tool_call_id: 'c2', tool: 'write' }),
      events({ type: 'tool.error', tool_call_id: 'c2', error: 'no', denied: true }),
      events({ type: 'file.change', path: '/a', change: 'update' }),
      events({ type: 'plan', entries: [{ content: 'one', status: 'completed' }, { content: 'two' }, { status: 'x' }] }),
      events({ type: 'usage', input_tokens: 3, output_tokens: 4, cost_usd: 0.5, model: 'm1' }),
    ].flat();
    expect(seen).toEqual([
      { type: 'file_output', path: '/out/r.png', fileName: 'r.png', mimeType: 'image/png' },
      { type: 'message_stop' },
      { type: 'tool_call_start', toolCallId: 'c1', toolName: 'read' },
      { type: 'tool_call_ready', toolCallId: 'c1', toolName: 'read', input: { path: 'a' } },
      { type: 'tool_result', toolCallId: 'c1', toolName: 'read', output: 'text' },
      { type: 'message_stop' },
      { type: 'tool_call_start', toolCallId: 'c2', toolName: 'write' },
      { type: 'tool_call_ready', toolCallId: 'c2', toolName: 'write', input: {} },
      { type: 'tool_error', toolCallId: 'c2', toolName: 'write', error: 'no', denied: true },
      { type: 'file_change', path: '/a', change: 'update' },
      {
        type: 'plan_update',
        entries: [
          { content: 'one', status: 'completed' },
          { content: 'two', status: 'pending' },
        ],
      },
      {
        type: 'cost',
        usage: { ...NO_USAGE, inputTokens: 3, outputTokens: 4 },
        costUsd: 0.5,
        scope: 'delta',
        source: 'reported',
        model: 'm1',
      },
    ] satisfies EventBody[]);
  });

  it.each([
    ['auth', { type: 'auth_error', message: 'no' }],
    ['rate_limit', { type: 'rate_limit_error', message: 'no', retryAfterMs: 500, resetsAt: 1_500, retrying: false }],
    ['context', { type: 'context_exceeded', message: 'no' }],
    ['server', { type: 'error', code: 'SERVER_ERROR', message: 'no', recoverable: false }],
    ['session_not_found', { type: 'error', code: 'SESSION_NOT_FOUND', message: 'no', recoverable: false }],
    ['other', { type: 'error', code: 'AGENT_ERROR', message: 'no', recoverable: false }],
    ['from the future', { type: 'error', code: 'AGENT_ERROR', message: 'no', recoverable: false }],
  ])('map the error %s to its type', (code, event) => {
    expect(open().events({ type: 'error', code, message: 'no', retry_after_ms: 500 })).toEqual([event]);
  });

  it.each([
    'no json',
    '[]',
    'null',
    '{"type":"output"}',
    '{"session_id":"s1"}',
    '{"session_id":"other","type":"turn.complete"}',
    { type: 'output', content: 7 },
    { type: 'file.output' },
    { type: 'tool.start', tool: 'x' },
    { type: 'tool.result', tool_call_id: 'never' },
    { type: 'permission.request', tool: 'x' },
    { type: 'question', request_id: 'q' },
    { type: 'file.change', path: '/a', change: 'melt' },
    { type: 'from.the.future' },
    { type: 'toString' },
    { type: '__proto__' },
  ])('are ignored with a debug event if they are invalid: %j', (message) => {
    const { state, events } = open();
    const before = JSON.stringify(state);
    expect(events(message)).toMatchObject([{ type: 'debug', level: 'warn' }]);
    expect(JSON.stringify(state)).toBe(before);
  });

  it('may be an empty line', () => {
    expect(open().events('  ')).toEqual([]);
  });
});

describe('requests of an external adapter', () => {
  const asked = () => {
    const given = open();
    const request = {
      type: 'permission.request',
      request_id: 'p1',
      tool: 'write',
      description: 'Write a',
      resource: 'a',
    };
    return { ...given, asked: given.events(request) };
  };

  it('keep the resource next to the input', () => {
    const { events } = open();
    const message = { type: 'permission.request', request_id: 'p9', tool: 'sh', resource: '/etc' };
    expect(events({ ...message, input: { command: 'ls' } })).toMatchObject([
      { input: { command: 'ls', request: { resource: '/etc' } } },
    ]);
  });

  it('offer yes and no', () => {
    expect(asked().asked).toMatchObject([
      {
        type: 'approval_request',
        requestId: 'p1',
        toolName: 'write',
        title: 'Write a',
        input: { resource: 'a' },
        options: [{ kind: 'allow_once' }, { kind: 'deny_once' }],
      },
    ]);
  });

  it.each([
    [{ kind: 'approval', answer: { decision: 'allow' } }, { approved: true }],
    [
      { kind: 'approval', answer: { decision: 'deny', message: 'not now' } },
      { approved: false, message: 'not now' },
    ],
    [{ kind: 'cancelled' }, { approved: false, cancelled: true }],
  ] as const)('are answered once: %j', (answer, response) => {
    const { state } = asked();
    expect(sent(externalCodec.resolve(approval('p1'), answer, state))).toEqual([
      { type: 'permission.response', session_id: 's1', request_id: 'p1', ...response },
    ]);
    expect(externalCodec.resolve(approval('p1'), answer, state)).toEqual([]);
    expect(externalCodec.close?.(state)).toHaveLength(1);
  });

  it('are refused when the turn or the session ends without an answer', () => {
    const first = asked();
    const refusal = { type: 'permission.response', request_id: 'p1', approved: false, cancelled: true };
    expect(sent(first.receive({ type: 'turn.complete' }).replies ?? [])).toMatchObject([refusal]);
    const second = asked();
    expect(sent(externalCodec.close?.(second.state) ?? [])).toMatchObject([refusal, { type: 'session.close' }]);
  });

  it('can be a question, answered or declined', () => {
    const question = {
      type: 'question',
      request_id: 'q1',
      questions: [
        { id: 'color', question: 'Which?', options: [{ label: 'red' }, 'blue'], free_text: true },
        { question: 'Why?' },
      ],
    };
    const { state, events } = open();
    expect(events(question)).toEqual([
      {
        type: 'input_required',
        requestId: 'q1',
        questions: [
          {
            id: 'color',
            question: 'Which?',
            options: [{ label: 'red' }, { label: 'blue' }],
            multiple: false,
            freeText: true,
          },
          { id: 'q2', question: 'Why?', options: [], multiple: false, freeText: false },
        ],
      },
    ]);
    const answer: RequestAnswer = { kind: 'input', answer: { answers: { color: ['red'] } } };
    expect(sent(externalCodec.resolve({ kind: 'input', requestId: 'q1' }, answer, state))).toEqual([
      { type: 'question.answer', session_id: 's1', request_id: 'q1', answers: { color: ['red'] } },
    ]);
    events(question);
    expect(sent(externalCodec.resolve({ kind: 'input', requestId: 'q1' }, { kind: 'cancelled' }, state))).toEqual([
      { type: 'question.answer', session_id: 's1', request_id: 'q1', declined: true, cancelled: true },
    ]);
  });
});

describe('lines of a shared process', () => {
  it('belong to the session that they name, anywhere in the line', () => {
    const state: ExternalState = externalCodec.open(OPTIONS);
    // The driver hands back the very state that it got.
    expect(bySessionId.channelOf(state as never)).toBe('s1');
    expect(bySessionId.route('{"input":{"session_id":"s2"},"session_id":"s1"}')).toBe('s1');
    expect(bySessionId.route('garbage')).toBeUndefined();
  });
});

describe('kind of a tool', () => {
  it('is one of the kinds or a former name; undefined if not set', () => {
    const { events } = open();
    const kindOf = (message: Record<string, unknown>) => {
      const [event] = events(message).filter(({ type }) => type === 'approval_request' || type === 'tool_call_start');
      return event && 'kind' in event ? event.kind : 'no event';
    };
    const ask = (request_id: string, kind?: unknown) => ({ type: 'permission.request', request_id, tool: 'x', kind });
    const start = (tool_call_id: string, kind?: unknown) => ({ type: 'tool.start', tool_call_id, tool: 'x', kind });
    expect(
      ['delete', 'network', 'mode', 'toString', 7, undefined].map((kind, at) => kindOf(ask(`r${at}`, kind))),
    ).toEqual(['delete', 'fetch', 'other', 'other', 'other', undefined]);
    expect([kindOf(start('t1', 'search')), kindOf(start('t2'))]).toEqual(['search', undefined]);
  });
});
