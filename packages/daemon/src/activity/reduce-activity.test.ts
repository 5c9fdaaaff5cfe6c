import type { SessionEvent } from '@agent-mux/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ActivityState, IDLE_STATE, reduceActivity } from './reduce-activity.ts';

const envelope = { agent: 'demo', runId: 's1-1', turnIndex: 0, seq: 0, timestamp: 1000 };

const EVENTS = {
  message: { type: 'user_message', messageId: 'm1', text: 'hi', attachments: [], delivery: 'turn', ...envelope },
  start: { type: 'session_start', ...envelope },
  turn: { type: 'turn_start', origin: 'user', ...envelope },
  text: { type: 'text_delta', delta: 'x', ...envelope },
  asks: {
    type: 'approval_request',
    requestId: 'a',
    toolName: 'Bash',
    title: 't',
    kind: 'execute',
    options: [],
    ...envelope,
  },
  answered: { type: 'approval_resolved', requestId: 'a', outcome: 'allowed', by: 'caller', ...envelope },
  questions: { type: 'input_required', requestId: 'q', questions: [], ...envelope },
  replied: { type: 'input_resolved', requestId: 'q', outcome: 'answered', by: 'caller', ...envelope },
  limited: { type: 'rate_limit_error', message: 'limit', resetsAt: 5000, retrying: false, ...envelope },
  done: { type: 'turn_end', status: 'completed', ...envelope },
  failed: { type: 'turn_end', status: 'failed', ...envelope },
  lost: { type: 'keeper_lost', message: 'gone', unknownMessages: ['m1'], ...envelope },
} as const satisfies Record<string, SessionEvent>;

function result(exitReason: 'completed' | 'aborted' | 'crashed' | 'rate_limited' | 'failed'): SessionEvent {
  const { agent, runId, turnIndex, seq, timestamp } = envelope;
  const nothing = {
    sessionId: null,
    model: null,
    usage: null,
    costUsd: null,
    costSource: null,
    serviceTier: null,
    quota: null,
  };
  const ended = { durationMs: 1, exitCode: 0, turnCount: 1, tags: [], text: '', mode: 'live' };
  const errors = {
    crashed: { code: 'AGENT_CRASH', message: 'it crashed' },
    aborted: { code: 'ABORTED', message: 'stopped by me' },
  } as const;
  const error = exitReason === 'crashed' || exitReason === 'aborted' ? errors[exitReason] : null;
  return { type: 'run_result', agent, runId, turnIndex, seq, timestamp, ...nothing, ...ended, exitReason, error };
}

function after(...events: SessionEvent[]): ActivityState {
  return events.reduce(reduceActivity, IDLE_STATE);
}

describe('session activity', () => {
  it.each([
    ['a message was accepted', [EVENTS.message], 'active'],
    ['a turn runs', [EVENTS.message, EVENTS.start, EVENTS.turn, EVENTS.text], 'active'],
    ['the agent requests approval', [EVENTS.turn, EVENTS.asks], 'blocked'],
    ['the agent asks a question', [EVENTS.turn, EVENTS.questions], 'waiting_input'],
    [
      'a question stays open when an approval is answered',
      [EVENTS.turn, EVENTS.asks, EVENTS.questions, EVENTS.answered],
      'waiting_input',
    ],
    ['all requests are answered', [EVENTS.turn, EVENTS.asks, EVENTS.answered], 'active'],
    ['the turn has ended', [EVENTS.turn, EVENTS.done], 'idle'],
    ['the turn failed at a limit', [EVENTS.turn, EVENTS.limited, EVENTS.failed], 'limited'],
    ['the agent continued after a limit', [EVENTS.turn, EVENTS.limited, EVENTS.text, EVENTS.failed], 'idle'],
    ['the session was parked', [EVENTS.turn, EVENTS.done, result('completed')], 'idle'],
    ['the session was stopped', [EVENTS.turn, result('aborted')], 'exited'],
    ['the agent crashed', [EVENTS.turn, result('crashed')], 'exited'],
    ['the keeper died', [EVENTS.turn, EVENTS.asks, EVENTS.lost], 'exited'],
    ['the session was restored', [EVENTS.turn, EVENTS.lost, EVENTS.message], 'active'],
  ] as const)('is derived when %s', (_, events, activity) => {
    expect(after(...events).activity).toBe(activity);
  });

  it('stores the reset time of a limit and clears it with the next turn', () => {
    const limited = after(EVENTS.turn, EVENTS.limited, EVENTS.failed);
    expect(limited).toMatchObject({ limit: { message: 'limit', resetsAt: 5000 }, error: { code: 'RATE_LIMITED' } });
    expect(reduceActivity(limited, EVENTS.turn)).toMatchObject({ limit: null, error: null, activity: 'active' });
  });

  it('reports why the session ended', () => {
    expect(after(EVENTS.turn, result('crashed'))).toMatchObject({
      isTerminated: true,
      parked: false,
      error: { code: 'AGENT_CRASH' },
    });
    expect(after(EVENTS.turn, result('aborted'))).toMatchObject({ isTerminated: true, error: null });
    expect(after(EVENTS.turn, EVENTS.done, result('completed'))).toMatchObject({
      isTerminated: false,
      parked: true,
      error: null,
    });
  });

  it('parks the session with its error when the process ends after a failed turn', () => {
    const failed = after(EVENTS.turn, EVENTS.failed);
    expect(failed).toMatchObject({ isTerminated: false, error: { code: 'AGENT_ERROR' } });
    expect(reduceActivity(failed, result('failed'))).toMatchObject({
      ...{ isTerminated: false, parked: true, activity: 'idle', error: { code: 'AGENT_ERROR' } },
    });
    expect(after(EVENTS.turn, result('failed'))).toMatchObject({ isTerminated: true, parked: false });
    expect(reduceActivity(failed, result('crashed'))).toMatchObject({ isTerminated: true });
  });

  it('ends when the agent cannot find the conversation to resume', () => {
    const missing = { code: 'SESSION_NOT_FOUND', message: 'no session found', recoverable: false } as const;
    const events: SessionEvent[] = [
      EVENTS.message,
      EVENTS.turn,
      { type: 'error', ...missing, ...envelope },
      EVENTS.failed,
      { ...(result('failed') as Extract<SessionEvent, { type: 'run_result' }>), error: missing },
    ];
    expect(events.reduce(reduceActivity, IDLE_STATE)).toMatchObject({
      ...{ activity: 'exited', isTerminated: true, parked: false },
      error: { code: 'SESSION_NOT_FOUND' },
    });
  });

  it('is never idle during a turn and never active after it, whatever other events arrive', () => {
    const noise = fc.constantFrom(
      EVENTS.text,
      EVENTS.asks,
      EVENTS.answered,
      EVENTS.questions,
      EVENTS.replied,
      EVENTS.start,
      EVENTS.limited,
    );
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 20 }), fc.array(noise, { maxLength: 5 }), (within, late) => {
        const running = within.reduce<ActivityState>(reduceActivity, after(EVENTS.message, EVENTS.turn));
        expect(['active', 'blocked', 'waiting_input']).toContain(running.activity);
        const over = late
          .filter(({ type }) => type !== 'approval_request' && type !== 'input_required')
          .reduce<ActivityState>(reduceActivity, reduceActivity(running, EVENTS.done));
        expect(over.activity).toBe('idle');
      }),
    );
  });

  it('unblocks an approval only by its own answer', () => {
    const other = { ...EVENTS.answered, requestId: 'other' };
    expect(after(EVENTS.turn, EVENTS.asks, other, EVENTS.replied, EVENTS.text).activity).toBe('blocked');
  });
});
