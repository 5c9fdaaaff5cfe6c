import type { SessionEvent } from '@agent-mux/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ActivityState, RESTING, reduceActivity } from './reduce-activity.ts';

const envelope = { agent: 'demo', runId: 's1-1', turnIndex: 0, seq: 0, timestamp: 1000 };

const TOLD = {
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
  told: { type: 'input_resolved', requestId: 'q', outcome: 'answered', by: 'caller', ...envelope },
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
  return events.reduce(reduceActivity, RESTING);
}

describe('what a session is doing', () => {
  it.each([
    ['a message is on its way', [TOLD.message], 'active'],
    ['its turn runs', [TOLD.message, TOLD.start, TOLD.turn, TOLD.text], 'active'],
    ['its agent asks whether it may', [TOLD.turn, TOLD.asks], 'blocked'],
    ['its agent asks a question', [TOLD.turn, TOLD.questions], 'waiting_input'],
    [
      'a question stays open when an approval is answered',
      [TOLD.turn, TOLD.asks, TOLD.questions, TOLD.answered],
      'waiting_input',
    ],
    ['all is answered', [TOLD.turn, TOLD.asks, TOLD.answered], 'active'],
    ['its turn is over', [TOLD.turn, TOLD.done], 'idle'],
    ['its turn failed of a limit', [TOLD.turn, TOLD.limited, TOLD.failed], 'limited'],
    ['it went on after a limit', [TOLD.turn, TOLD.limited, TOLD.text, TOLD.failed], 'idle'],
    ['it was parked', [TOLD.turn, TOLD.done, result('completed')], 'idle'],
    ['it was stopped', [TOLD.turn, result('aborted')], 'exited'],
    ['its agent crashed', [TOLD.turn, result('crashed')], 'exited'],
    ['its keeper died', [TOLD.turn, TOLD.asks, TOLD.lost], 'exited'],
    ['it was brought back', [TOLD.turn, TOLD.lost, TOLD.message], 'active'],
  ] as const)('when %s', (_, events, activity) => {
    expect(after(...events).activity).toBe(activity);
  });

  it('knows until when a limit lasts, and forgets it with the next turn', () => {
    const limited = after(TOLD.turn, TOLD.limited, TOLD.failed);
    expect(limited).toMatchObject({ limit: { message: 'limit', resetsAt: 5000 }, error: { code: 'RATE_LIMITED' } });
    expect(reduceActivity(limited, TOLD.turn)).toMatchObject({ limit: null, error: null, activity: 'active' });
  });

  it('says why it ended, and that it can be restored', () => {
    expect(after(TOLD.turn, result('crashed'))).toMatchObject({
      isTerminated: true,
      parked: false,
      error: { code: 'AGENT_CRASH' },
    });
    expect(after(TOLD.turn, result('aborted'))).toMatchObject({ isTerminated: true, error: null });
    expect(after(TOLD.turn, TOLD.done, result('completed'))).toMatchObject({
      isTerminated: false,
      parked: true,
      error: null,
    });
  });

  it('is parked with its error when the process ends after a failed turn', () => {
    const failed = after(TOLD.turn, TOLD.failed);
    expect(failed).toMatchObject({ isTerminated: false, error: { code: 'AGENT_ERROR' } });
    expect(reduceActivity(failed, result('failed'))).toMatchObject({
      ...{ isTerminated: false, parked: true, activity: 'idle', error: { code: 'AGENT_ERROR' } },
    });
    expect(after(TOLD.turn, result('failed'))).toMatchObject({ isTerminated: true, parked: false });
    expect(reduceActivity(failed, result('crashed'))).toMatchObject({ isTerminated: true });
  });

  it('ends when the agent does not find the conversation that it was to resume', () => {
    const missing = { code: 'SESSION_NOT_FOUND', message: 'no session found', recoverable: false } as const;
    const events: SessionEvent[] = [
      TOLD.message,
      TOLD.turn,
      { type: 'error', ...missing, ...envelope },
      TOLD.failed,
      { ...(result('failed') as Extract<SessionEvent, { type: 'run_result' }>), error: missing },
    ];
    expect(events.reduce(reduceActivity, RESTING)).toMatchObject({
      ...{ activity: 'exited', isTerminated: true, parked: false },
      error: { code: 'SESSION_NOT_FOUND' },
    });
  });

  it('is never idle while a turn runs, nor active after its end, whatever else is told in between', () => {
    const noise = fc.constantFrom(
      TOLD.text,
      TOLD.asks,
      TOLD.answered,
      TOLD.questions,
      TOLD.told,
      TOLD.start,
      TOLD.limited,
    );
    fc.assert(
      fc.property(fc.array(noise, { maxLength: 20 }), fc.array(noise, { maxLength: 5 }), (within, late) => {
        const running = within.reduce<ActivityState>(reduceActivity, after(TOLD.message, TOLD.turn));
        expect(['active', 'blocked', 'waiting_input']).toContain(running.activity);
        const over = late
          .filter(({ type }) => type !== 'approval_request' && type !== 'input_required')
          .reduce<ActivityState>(reduceActivity, reduceActivity(running, TOLD.done));
        expect(over.activity).toBe('idle');
      }),
    );
  });

  it('lifts the block of an approval by its own answer alone', () => {
    const other = { ...TOLD.answered, requestId: 'other' };
    expect(after(TOLD.turn, TOLD.asks, other, TOLD.told, TOLD.text).activity).toBe('blocked');
  });
});
