import type { AgentEvent, EventBody } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { assertEventOrder, findEventOrderViolations } from './event-order.ts';

/** Events as a run would number them; `turn` counts the started turns. */
function course(...bodies: EventBody[]): AgentEvent[] {
  let turn = -1;
  return bodies.map((body, seq): AgentEvent => {
    if (body.type === 'turn_start') turn += 1;
    const event = { ...body, agent: 'a', runId: 'r', turnIndex: Math.max(0, turn), seq, timestamp: 0 };
    return ('toolName' in event ? { kind: 'execute', ...event } : event) as AgentEvent;
  });
}
const start: EventBody = { type: 'session_start' };
const end: EventBody = { type: 'session_end', reason: 'completed' };
const turn: EventBody = { type: 'turn_start', origin: 'user' };
const turnEnd: EventBody = { type: 'turn_end', status: 'completed' };
const message: EventBody = { type: 'message_start' };
const messageEnd: EventBody = { type: 'message_stop' };
const text: EventBody = { type: 'text_delta', delta: 'x' };
const call: EventBody = { type: 'tool_call_start', toolCallId: 't', toolName: 'Bash' };
const ready: EventBody = { type: 'tool_call_ready', toolCallId: 't', toolName: 'Bash', input: {} };
const result: EventBody = { type: 'tool_result', toolCallId: 't', toolName: 'Bash', output: '' };
const ask: EventBody = { type: 'approval_request', requestId: 'q', toolName: 'Bash', title: '', options: [] };
const answered: EventBody = { type: 'approval_resolved', requestId: 'q', outcome: 'denied', by: 'caller' };

describe('assertEventOrder', () => {
  it('accepts a run in order, with parallel calls and thinking', () => {
    const other = (body: EventBody): EventBody => ({ ...body, toolCallId: 'u' }) as EventBody;
    const parts = [call, other(call), ready, other(ready), other(result), ask, answered, result];
    const thought: EventBody[] = [{ type: 'thinking_start' }, { type: 'thinking_delta', delta: 'h' }];
    assertEventOrder(
      course(start, turn, message, ...thought, { type: 'thinking_stop' }, text, messageEnd, ...parts, turnEnd, end),
    );
  });

  const broken: [string, AgentEvent[], RegExp][] = [
    ['no session_start', course(turn, turnEnd, end), /session_start is the first/],
    ['a second session_start', course(start, start, end), /session_start is the first/],
    ['no session_end', course(start), /session_end is missing/],
    ['an event after session_end', course(start, end, { type: 'title', title: '' }), /after session_end/],
    ['a gap in seq', course(start, turn, turnEnd, end).filter((event) => event.seq !== 1), /seq is 2 after 0/],
    ['overlapping turns', course(start, turn, turn, turnEnd, end), /turns overlap/],
    ['an open turn', course(start, turn, end), /a turn is still open/],
    ['a turn_end without a turn', course(start, turnEnd, end), /no turn is open/],
    ['text outside of a turn', course(start, message, text, messageEnd, end), /outside of a turn/],
    ['text outside of a message', course(start, turn, text, turnEnd, end), /text belongs in a message/],
    ['an open message', course(start, turn, message, turnEnd, end), /a message is still open/],
    [
      'a thought outside of a message',
      course(start, turn, { type: 'thinking_start' }, turnEnd, end),
      /thinking belongs/,
    ],
    ['a result without a call', course(start, turn, result, turnEnd, end), /not ready, or has had its result/],
    ['a result before ready', course(start, turn, call, result, turnEnd, end), /not ready/],
    ['two results', course(start, turn, call, ready, result, result, turnEnd, end), /has had its result/],
    ['a call without a result', course(start, turn, call, ready, turnEnd, end), /calls are still open: t/],
    [
      'input after ready',
      course(start, turn, call, ready, { type: 'tool_input_delta', toolCallId: 't', delta: '' }, result, turnEnd, end),
      /takes no more input/,
    ],
    ['an answer before its question', course(start, turn, answered, turnEnd, end), /was not made/],
    ['two answers', course(start, turn, ask, answered, answered, turnEnd, end), /or is resolved/],
    ['text after a terminal event', course(start, { type: 'aborted' }, { type: 'title', title: '' }, end), /terminal/],
  ];
  it.each(broken)('refuses %s', (_what, events, fault) => {
    expect(findEventOrderViolations(events).join('\n')).toMatch(fault);
    expect(() => assertEventOrder(events)).toThrow(fault);
  });
});
