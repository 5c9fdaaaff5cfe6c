import { assertEventOrder } from '@agent-mux/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AgentEvent, type EventBody, EXIT_REASONS, NO_USAGE } from '../../contract/events.ts';
import { TOOL_KINDS } from '../../contract/tool-kinds.ts';
import { Sequencer } from './sequence.ts';

const id = fc.constantFrom('a', 'b', 'c');
const parent = fc.record({ parentToolCallId: fc.constantFrom('a', 'p') }, { requiredKeys: [] });
const constant = (body: EventBody): fc.Arbitrary<EventBody> => fc.constant(null).map(() => structuredClone(body));
const withId = (make: (id: string) => EventBody): fc.Arbitrary<EventBody> => id.map(make);
const nested = (make: (parent: { parentToolCallId?: string }) => EventBody): fc.Arbitrary<EventBody> =>
  parent.map(make);
const kind = fc.record({ kind: fc.constantFrom(...TOOL_KINDS) }, { requiredKeys: [] });
const toolName = 'Bash';
const server = 'files';

/** Every event type that a decoder can return, with few ids, so that they collide. */
const body: fc.Arbitrary<EventBody> = fc.oneof(
  constant({ type: 'session_start', sessionId: 's' }),
  constant({ type: 'session_start' }),
  constant({ type: 'session_resume', sessionId: 's' }),
  constant({ type: 'session_fork', fromSessionId: 's' }),
  constant({ type: 'session_end', reason: 'completed' }),
  constant({ type: 'turn_start', origin: 'agent' }),
  constant({ type: 'turn_end', status: 'completed' }),
  nested((p) => ({ type: 'message_start', ...p })),
  nested((p) => ({ type: 'message_stop', ...p })),
  nested((p) => ({ type: 'text_delta', delta: 'x', ...p })),
  constant({ type: 'message_discard', reason: 'again' }),
  nested((p) => ({ type: 'thinking_start', ...p })),
  nested((p) => ({ type: 'thinking_delta', delta: 'h', ...p })),
  nested((p) => ({ type: 'thinking_stop', ...p })),
  fc
    .tuple(id, parent, kind)
    .map(([toolCallId, p, k]): EventBody => ({ type: 'tool_call_start', toolCallId, toolName, ...p, ...k })),
  withId((toolCallId) => ({ type: 'tool_input_delta', toolCallId, delta: '{' })),
  withId((toolCallId) => ({ type: 'tool_call_ready', toolCallId, toolName, input: {} })),
  withId((toolCallId) => ({ type: 'tool_output_delta', toolCallId, delta: '.' })),
  fc
    .tuple(id, kind)
    .map(([toolCallId, k]): EventBody => ({ type: 'tool_result', toolCallId, toolName, output: '', ...k })),
  withId((toolCallId) => ({ type: 'tool_error', toolCallId, toolName, error: '' })),
  withId((toolCallId) => ({ type: 'mcp_tool_call_start', toolCallId, server, toolName, input: {} })),
  withId((toolCallId) => ({ type: 'mcp_tool_result', toolCallId, server, toolName, output: '' })),
  withId((toolCallId) => ({ type: 'mcp_tool_error', toolCallId, server, toolName, error: '' })),
  withId((subagentId) => ({ type: 'subagent_start', subagentId })),
  withId((subagentId) => ({ type: 'subagent_end', subagentId, status: 'completed' })),
  constant({ type: 'plan_update', entries: [] }),
  constant({ type: 'file_change', path: 'x', change: 'update' }),
  fc.tuple(id, id, kind).map(
    ([requestId, toolCallId, k]): EventBody => ({
      type: 'approval_request',
      requestId,
      toolCallId,
      toolName,
      title: '',
      options: [],
      ...k,
    }),
  ),
  withId((requestId) => ({ type: 'approval_resolved', requestId, outcome: 'denied', by: 'agent' })),
  withId((requestId) => ({ type: 'input_required', requestId, questions: [] })),
  withId((requestId) => ({ type: 'input_resolved', requestId, outcome: 'declined', by: 'agent' })),
  constant({ type: 'cost', usage: NO_USAGE, costUsd: 1, scope: 'delta', source: 'reported' }),
  constant({ type: 'rate_limit_status', limited: false, windows: [] }),
  constant({ type: 'rate_limit_error', message: '', retrying: false }),
  constant({ type: 'auth_error', message: '' }),
  constant({ type: 'context_compacted' }),
  constant({ type: 'retry', attempt: 1, reason: '', by: 'agent' }),
  constant({ type: 'interrupted', by: 'agent' }),
  constant({ type: 'error', code: 'AGENT_ERROR', message: '', recoverable: false }),
  constant({ type: 'title', title: '' }),
  constant({ type: 'debug', level: 'info', code: 'x', message: '' }),
  constant({ type: 'log', source: 'stderr', line: '' }),
);
const terminal: fc.Arbitrary<EventBody> = fc.oneof(
  constant({ type: 'crash', exitCode: 1, signal: null, stderr: '', message: '' }),
  constant({ type: 'aborted' }),
  constant({ type: 'timeout', kind: 'run', limitMs: 1, message: '' }),
);
type Act = (sequencer: Sequencer) => void;
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 20,
    arbitrary: body.map(
      (each): Act =>
        (s) =>
          s.write(each),
    ),
  },
  {
    weight: 1,
    arbitrary: terminal.map(
      (each): Act =>
        (s) =>
          s.write(each),
    ),
  },
  { weight: 3, arbitrary: fc.constant<Act>((s) => s.beginTurn()) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('completed' as const, 'failed' as const, 'interrupted' as const).map(
      (status): Act =>
        (s) =>
          s.endTurn(status),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...EXIT_REASONS).map(
      (reason): Act =>
        (s) =>
          s.endSession(reason),
    ),
  },
);

function sequenced(...acts: Act[]): AgentEvent[] {
  const events: AgentEvent[] = [];
  const sequencer = new Sequencer({ agent: 'fake', runId: 'r' }, (event) => events.push(event));
  for (const each of acts) each(sequencer);
  return events;
}
const write =
  (...bodies: EventBody[]): Act =>
  (s) => {
    for (const each of bodies) s.write(each);
  };
const types = (events: readonly AgentEvent[]) => events.map((event) => event.type);
const begin: Act = (s) => s.beginTurn();
const finish: Act = (s) => s.endSession('completed');

describe('order of events', () => {
  it('holds for any decoder output and any start and end of turns', () => {
    const course = fc.array(act, { maxLength: 60, size: 'max' });
    const identity = fc.constantFrom({}, { resumes: 's' }, { forks: 's' });
    fc.assert(
      fc.property(course, identity, (acts, extra) => {
        const events: AgentEvent[] = [];
        const sequencer = new Sequencer({ agent: 'fake', runId: 'r', ...extra }, (event) => events.push(event));
        for (const each of acts) each(sequencer);
        sequencer.endSession('completed');
        assertEventOrder(events);
      }),
      { numRuns: 1500 },
    );
  });

  it('starts a session without session_start and queues notes until then', () => {
    const note: EventBody = { type: 'debug', level: 'info', code: 'x', message: 'first' };
    const events = sequenced(begin, write(note, { type: 'text_delta', delta: 'x' }), finish);
    expect(types(events)).toEqual([
      'session_start',
      'debug',
      'turn_start',
      'message_start',
      'text_delta',
      'message_stop',
      'turn_end',
      'session_end',
    ]);
  });

  it('limits the notes queued before the session starts', () => {
    const notes = Array.from({ length: 1000 }, (): EventBody => ({ type: 'log', source: 'stderr', line: 'x' }));
    const events: AgentEvent[] = [];
    const sequencer = new Sequencer({ agent: 'fake', runId: 'r' }, (event) => events.push(event));
    for (const note of notes) sequencer.write(note);
    expect(types(events).filter((type) => type === 'log')).toHaveLength(1000);
  });

  it('opens no turn for closing events or a background subagent', () => {
    const late: EventBody[] = [
      { type: 'message_stop' },
      { type: 'subagent_end', subagentId: 'a', status: 'completed' },
      { type: 'interrupted', by: 'agent' },
      { type: 'text_delta', delta: 'x', parentToolCallId: 'p' },
      { type: 'tool_result', toolCallId: 'a', toolName, output: 'late' },
    ];
    const call: EventBody = { type: 'tool_call_start', toolCallId: 'a', toolName };
    const events = sequenced(
      begin,
      write({ type: 'session_start' }, call),
      (s) => s.endTurn('completed'),
      write(...late),
      finish,
    );
    expect(types(events).filter((type) => type === 'turn_start')).toHaveLength(1);
    expect(types(events)).not.toContain('tool_result');
    assertEventOrder(events);
  });

  it('marks a turn that was opened by the agent', () => {
    const events = sequenced(
      begin,
      write({ type: 'session_start' }),
      (s) => s.endTurn('completed'),
      write({ type: 'text_delta', delta: 'woken' }),
      finish,
    );
    expect(events.flatMap((event) => (event.type === 'turn_start' ? event.origin : []))).toEqual(['user', 'agent']);
  });

  it('continues the same turn if it starts again, as after a retry', () => {
    const events = sequenced(begin, write({ type: 'session_start' }), begin, (s) => s.endTurn('completed'), finish);
    expect(types(events)).toEqual(['session_start', 'turn_start', 'turn_end', 'session_end']);
  });

  it('adds the raw line only to the events that it produced', () => {
    const events = sequenced(
      begin,
      (s) => s.write({ type: 'session_start' }, 'line 1'),
      (s) => s.write({ type: 'text_delta', delta: 'x' }, 'line 2'),
      (s) => s.endTurn('completed', {}, 'line 3'),
      finish,
    );
    expect(events.flatMap((event) => (event.raw === undefined ? [] : [[event.type, event.raw]]))).toEqual([
      ['session_start', 'line 1'],
      ['message_start', 'line 2'],
      ['text_delta', 'line 2'],
      ['message_stop', 'line 3'],
      ['turn_end', 'line 3'],
    ]);
  });
});

describe('text delta', () => {
  it('is copied if a decoder returns a shared or frozen object', () => {
    const events: AgentEvent[] = [];
    const sequence = new Sequencer(
      { agent: 'fake', runId: 'r' },
      (event) => events.push(event),
      () => 7,
    );
    const piece: EventBody = Object.freeze({ type: 'text_delta', delta: 'again' });
    sequence.beginTurn();
    for (let i = 0; i < 3; i += 1) sequence.write(piece, i === 2 ? 'its line' : undefined);
    expect(Object.keys(piece)).toEqual(['type', 'delta']);
    const texts = events.filter(({ type }) => type === 'text_delta');
    const envelope = { type: 'text_delta', delta: 'again', agent: 'fake', runId: 'r', turnIndex: 0, timestamp: 7 };
    expect(texts).toEqual([
      { ...envelope, seq: 3 },
      { ...envelope, seq: 4 },
      { ...envelope, seq: 5, raw: 'its line' },
    ]);
  });

  it('has the same fields in the same order in any position', () => {
    const events: AgentEvent[] = [];
    const sequence = new Sequencer(
      { agent: 'fake', runId: 'r' },
      (event) => events.push(event),
      () => 7,
    );
    sequence.write({ type: 'session_start', sessionId: 's' });
    sequence.beginTurn();
    for (const delta of ['a', 'b']) sequence.write({ type: 'text_delta', delta });
    const shapes = events.filter(({ type }) => type === 'text_delta').map((event) => Object.keys(event).join(' '));
    expect(new Set(shapes)).toEqual(new Set(['type delta agent runId sessionId turnIndex seq timestamp']));
    expect(shapes).toHaveLength(2);
  });
});

describe('session id', () => {
  it.each([
    ['too long', 'x'.repeat(1_000_000)],
    ['with control characters', 'a\u001b[2J'],
    ['empty', ''],
  ])('is dropped with a warning if it is %s', (_how, sessionId) => {
    const events: AgentEvent[] = [];
    const sequencer = new Sequencer({ agent: 'a', runId: 'r' }, (event) => events.push(event));
    sequencer.write({ type: 'session_start', sessionId });
    sequencer.write({ type: 'session_start', sessionId });
    sequencer.endSession('completed');
    expect(sequencer.sessionId).toBeUndefined();
    expect(events.filter((event) => event.sessionId !== undefined)).toEqual([]);
    expect(events.filter((event) => event.type === 'debug')).toMatchObject([{ code: 'session_id_invalid' }]);
    assertEventOrder(events);
  });
});
