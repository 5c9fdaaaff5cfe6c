import { createResolvedOptions, only } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { live, shape } from '../../test/replay-codex.ts';
import { appServerCodec } from './app-server/live.ts';
import { readCodexFailure, retryEvent } from './errors.ts';

describe('failures of Codex', () => {
  it('voids the output of a repeated request', () => {
    const events = live('dropped');
    expect(shape(events)).toEqual([
      'session_start',
      'message_start',
      'text_delta',
      'message_discard',
      'message_stop',
      'retry',
      'message_start',
      'text_delta',
      'message_stop',
      'turn_end',
    ]);
    expect(only(events, 'retry')).toMatchObject([{ attempt: 1, maxAttempts: 5, by: 'agent' }]);
  });

  it('reports a refused key once, after the attempts of the agent', () => {
    const events = live('bad-key');
    expect(only(events, 'retry').map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(only(events, 'auth_error')).toHaveLength(1);
    expect(events.at(-1)).toEqual({ type: 'turn_end', status: 'failed' });
  });

  it('reports a rate limit at the first refusal', () => {
    const [first] = only(live('rate-limit'), 'rate_limit_error', 'retry');
    expect(first).toMatchObject({ type: 'rate_limit_error', retrying: true, message: expect.stringContaining('429') });
  });

  it('reads the reset time of a limit from the body of an answer', () => {
    const body = (times: object) =>
      JSON.stringify({ error: { type: 'usage_limit_reached', message: 'The usage limit has been reached', ...times } });
    const failure = (times: object) => readCodexFailure({ text: body(times), status: 429 });
    expect(failure({ resets_in_seconds: 90 })).toMatchObject({ type: 'rate_limit_error', retryAfterMs: 90_000 });
    expect(failure({ resets_at: 1_794_788_965 })).toMatchObject({ resetsAt: 1_794_788_965_000 });
    const [retry] = [retryEvent({ text: body({ resets_in_seconds: 90 }), status: 429 }, 0)];
    expect(retry).toMatchObject({ type: 'rate_limit_error', retryAfterMs: 90_000, retrying: true });
  });

  it('reports a failing server and a full context', () => {
    expect(only(live('server-error'), 'error')).toMatchObject([{ code: 'SERVER_ERROR', recoverable: true }]);
    const [full] = only(live('too-long'), 'context_exceeded');
    expect(full?.message).toBe(
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
    );
  });

  it('reports the usage of a limit when it has changed', () => {
    expect(only(live('limits'), 'rate_limit_status')).toEqual([
      {
        type: 'rate_limit_status',
        limited: false,
        windows: [{ window: 'primary', usedPercent: 91, resetsAt: 4_102_444_800_000, exhausted: false }],
      },
    ]);
  });

  it('ends a turn that would wait for the network forever', () => {
    const codec = appServerCodec();
    const state = codec.open(createResolvedOptions({ mode: 'app-server' }));
    Object.assign(state, { threadId: 't', turnId: 'u', turn: 'running' });
    const context = { now: 0, sessionId: 't', turnIndex: 0, turnActive: true };
    const said = (turn: object) => JSON.stringify({ method: 'turn/completed', params: { threadId: 't', turn } });
    const error = {
      message: 'Reconnecting... waiting for network',
      codexErrorInfo: null,
      additionalDetails: 'no route',
    };
    const line = JSON.stringify({ method: 'error', params: { threadId: 't', turnId: 'u', willRetry: true, error } });
    const { events, replies } = codec.decode(line, state, context);
    expect(events).toMatchObject([
      { type: 'error', code: 'NETWORK_ERROR', recoverable: true },
      { type: 'turn_end', status: 'failed' },
    ]);
    expect(JSON.parse(replies?.[0] ?? '')).toMatchObject({ method: 'turn/interrupt', params: { turnId: 'u' } });
    expect(codec.decode(said({ id: 'u', status: 'interrupted' }), state, context).events).toEqual([]);
  });
});
