import type { Session, SessionEvent } from '@agent-mux/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionChange } from '../store/store.ts';
import { createSession } from '../store/suite/fixtures.ts';
import { Projector } from './project.ts';
import { isProjected, PROJECTED_LINE } from './projected-events.ts';
import { describeEvent, LastLine, lastLineOf } from './status-text.ts';

const CONTEXT = { estimate: () => null, dayOf: () => '2026-11-16' };
const NEW: Session = { ...createSession('s1'), agentSessionId: null, openRequests: 0, queuedMessages: 0, rev: 1 };

type Body = SessionEvent extends infer Event
  ? Event extends SessionEvent
    ? Omit<Event, 'agent' | 'runId' | 'turnIndex' | 'seq' | 'timestamp' | 'sessionId'>
    : never
  : never;

const word = fc.constantFrom('a', 'Done.', 'two\nlines', '\n', ' ', 'end\n\n', 'x'.repeat(300));
const id = fc.constantFrom('1', '2');
const parent = fc.option(fc.constant('t0'), { nil: undefined, freq: 4 });
const withParent = (body: Body) =>
  parent.map((parentToolCallId) => (parentToolCallId ? { ...body, parentToolCallId } : body));
const count = fc.nat({ max: 9 });
const usage = count.map((n) => ({
  ...{ inputTokens: n, outputTokens: 1, cacheReadTokens: null, cacheCreationTokens: null, totalTokens: n + 1 },
}));

/** Events that the projector reads, and some that it ignores. */
const eventBodies: fc.Arbitrary<Body> = fc.oneof(
  { weight: 8, arbitrary: word.chain((delta) => withParent({ type: 'text_delta', delta })) },
  fc.record({
    type: fc.constant('user_message' as const),
    messageId: fc.constantFrom('m1', 'm2', 'm3'),
    text: word,
    attachments: fc.constant([]),
    delivery: fc.constantFrom('turn' as const, 'steer' as const),
  }),
  fc.constantFrom<Body>(
    { type: 'turn_start', origin: 'user' },
    { type: 'turn_start', origin: 'agent' },
    { type: 'turn_end', status: 'completed' },
    { type: 'turn_end', status: 'failed' },
    { type: 'turn_end', status: 'interrupted' },
    { type: 'session_start', model: 'm-1' },
    { type: 'message_discard', reason: 'retried' },
    { type: 'tool_call_start', toolCallId: 't1', toolName: 'Bash', kind: 'execute' },
    { type: 'tool_call_ready', toolCallId: 't1', toolName: 'Bash', input: { command: 'ls' }, kind: 'execute' },
    { type: 'tool_result', toolCallId: 't1', toolName: 'Bash', output: 'x', kind: 'execute' },
    { type: 'thinking_delta', delta: 'hm' },
    { type: 'subagent_start', subagentId: 'a1', name: 'helper' },
    { type: 'subagent_end', subagentId: 'a1', status: 'completed' },
    { type: 'error', code: 'AGENT_ERROR', message: 'broken', recoverable: true },
    { type: 'crash', message: 'crashed', exitCode: 1, signal: null, stderr: '' },
    { type: 'timeout', kind: 'run', limitMs: 1, message: 'too long' },
    { type: 'rate_limit_error', message: 'later', resetsAt: 5000, retrying: false },
    { type: 'retry', by: 'agent', attempt: 1, reason: 'busy' },
    { type: 'title', title: 'A title' },
  ),
  withParent({ type: 'message_start' }),
  withParent({ type: 'thinking_start' }),
  id.map((requestId): Body => ({ ...APPROVAL_REQUEST, requestId })),
  id.map((requestId): Body => ({ type: 'approval_resolved', requestId, outcome: 'allowed', by: 'caller' })),
  id.map((requestId): Body => ({ type: 'input_required', requestId, questions: [] })),
  id.map((messageId): Body => ({ ...NOT_DELIVERED, data: { messageId: `m${messageId}` } })),
  fc.record({
    type: fc.constant('cost' as const),
    scope: fc.constantFrom('delta' as const, 'turn' as const, 'session' as const),
    source: fc.constant('reported' as const),
    costUsd: fc.option(count),
    usage,
  }),
);
const APPROVAL_REQUEST = {
  ...{ requestId: '', toolName: 'Bash', title: 'Run it?', options: [] },
  ...({ type: 'approval_request', kind: 'execute' } as const),
};
const NOT_DELIVERED = {
  type: 'debug',
  level: 'warn',
  code: 'message_not_delivered',
  message: 'it was leaving',
} as const;

const someEvents = fc.array(eventBodies, { maxLength: 60 }).map((bodies) =>
  bodies.map((body, seq): SessionEvent => {
    const envelope = { agent: 'demo', runId: 's1-1', turnIndex: 0, seq, timestamp: 1000 + seq, sessionId: 'n1' };
    return { ...body, ...envelope } as SessionEvent;
  }),
);

function apply(session: Session, { addMetadata = {}, ...change }: SessionChange): Session {
  return { ...session, ...change, metadata: { ...session.metadata, ...addMetadata } };
}

/** Rebuilds the state as a restarted daemon does: from the row, and from the matching journal lines. */
function recall(row: Session, events: readonly SessionEvent[]): Projector {
  const projector = new Projector(row, CONTEXT);
  const lines = events.map((event) => JSON.stringify(event)).filter((line) => PROJECTED_LINE.test(line));
  projector.recall(lines.map((line) => JSON.parse(line) as SessionEvent));
  projector.endRecall();
  return projector;
}

describe('Projector after a restart', () => {
  it('continues as if there had been no restart, at any position', () => {
    fc.assert(
      fc.property(someEvents, fc.nat(), fc.nat(), (events, at, size) => {
        const cut = events.length === 0 ? 0 : at % (events.length + 1);
        const [before, after] = [events.slice(0, cut), events.slice(cut)];
        const live = new Projector(NEW, CONTEXT);
        let row = NEW;
        for (let from = 0; from < before.length; from += 1 + (size % 7))
          row = apply(row, live.project(before.slice(from, from + 1 + (size % 7))).session);
        const recalled = recall(row, before);
        expect(recalled.state).toEqual(live.state);
        expect(recalled.project(after)).toEqual(live.project(after));
        const seen = ({ state, accepted, hasBackgroundWork, agentSessionId, unexpectedSessionId }: Projector) => ({
          ...{ state, accepted, hasBackgroundWork, agentSessionId, unexpectedSessionId },
        });
        expect(seen(recalled)).toEqual(seen(live));
      }),
      { numRuns: 1000 },
    );
  });

  it('shows the same status line for all batch sizes', () => {
    fc.assert(
      fc.property(someEvents, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (events, sizes) => {
        const once = new Projector(NEW, CONTEXT).project(events).session.statusText;
        const pieces = new Projector(NEW, CONTEXT);
        let line: string | null | undefined;
        for (let from = 0, turn = 0; from < events.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          line = pieces.project(events.slice(from, from + size)).session.statusText ?? line;
          from += size;
        }
        expect(line).toBe(once);
      }),
    );
  });
});

describe('status line', () => {
  const text = (delta: string): Body => ({ type: 'text_delta', delta });
  const lineOf = (...bodies: Body[]) => {
    const envelope = { agent: 'demo', runId: 's1-1', turnIndex: 0, seq: 0, timestamp: 1000 };
    return new Projector(NEW, CONTEXT).project(bodies.map((body) => ({ ...body, ...envelope }) as SessionEvent)).session
      .statusText;
  };
  const turn = (...bodies: Body[]): Body[] => [
    { type: 'turn_start', origin: 'user' },
    ...bodies,
    { type: 'turn_end', status: 'completed' },
  ];

  it('never joins two turns, two messages, or a message with discarded text', () => {
    expect(lineOf(...turn(text('First.')), ...turn(text('Second.')))).toBe('Second.');
    expect(lineOf({ type: 'message_start' }, text('One.'), { type: 'message_start' }, text('Two.'))).toBe('Two.');
    expect(lineOf(text('Wrong'), { type: 'message_discard', reason: 'retried' }, text('Right'))).toBe('Right');
    expect(lineOf(...turn(text('First.')), { type: 'turn_start', origin: 'user' })).toBe('First.');
  });

  it('shows the start of the last line of an answer of any length', () => {
    const words = Array.from({ length: 3000 }, (_, index) => text(`w${index} `));
    expect(lineOf(text('intro\n'), ...words)).toMatch(/^w0 w1 w2 .*…$/);
    expect(lineOf(...words, text('\nThe end.\n\n'))).toBe('The end.');
  });

  it('is the same for one chunk and for many', () => {
    fc.assert(
      fc.property(fc.array(word), (pieces) => {
        const lines = new LastLine();
        for (const piece of pieces) lines.add(piece);
        expect(lines.value).toBe(lastLineOf(pieces.join('')));
      }),
    );
  });

  it('ignores events that are not projected', () => {
    fc.assert(
      fc.property(someEvents, (events) => {
        for (const event of events) if (!isProjected(event)) expect(describeEvent(event)).toBeUndefined();
      }),
    );
  });
});
