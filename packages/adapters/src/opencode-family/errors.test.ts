import type { HttpMessage } from '@agent-mux/core';
import { createResolvedOptions, only, REPLAY_NOW } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { converse, paths, replay, type Script, SESSION } from '../../test/opencode-server.ts';
import { KILO_DIALECT, OPENCODE_DIALECT } from './dialect.ts';
import { familyFailureEvents, readFailure } from './errors.ts';
import { familyCodec } from './server/codec.ts';
import { costEvent } from './usage.ts';

const opencode = (name: string, script?: Script) => replay(OPENCODE_DIALECT, name, script);
const kilo = (name: string, script?: Script) => replay(KILO_DIALECT, name, script);

describe('failures of the server', () => {
  it('have the reset time of a limit from the headers of the answer', () => {
    const limit = (responseHeaders: object) =>
      familyFailureEvents(
        readFailure({ name: 'APIError', data: { message: 'slow down', statusCode: 429, responseHeaders } }),
        REPLAY_NOW,
      );
    const date = new Date(Math.ceil(REPLAY_NOW / 1000) * 1000 + 60_000).toUTCString();
    expect(limit({ 'retry-after': '30' })).toMatchObject({ retryAfterMs: 30_000, resetsAt: REPLAY_NOW + 30_000 });
    expect(limit({ 'retry-after-ms': '1500', 'retry-after': '30' })).toMatchObject({ retryAfterMs: 1500 });
    expect(limit({ 'retry-after': date })).toMatchObject({ resetsAt: Date.parse(date) });
    expect(limit({ 'retry-after': 'soon' })).not.toHaveProperty('retryAfterMs');
  });

  it('report a refused key once, though the server repeats it', () => {
    for (const talk of [opencode('auth-error'), kilo('auth-error')]) {
      expect(only(talk.events, 'auth_error')).toMatchObject([{ message: 'scripted 401' }]);
      expect(only(talk.events, 'turn_end')).toEqual([{ type: 'turn_end', status: 'failed' }]);
    }
  });

  it('report a rate limit with its reset time, while the server still waits', () => {
    const [limit] = only(opencode('rate-limit').events, 'rate_limit_error');
    expect(limit).toMatchObject({ message: 'scripted 429', retrying: true, resetsAt: 1794767177807 });
    expect(only(kilo('rate-limit').events, 'rate_limit_error')).toHaveLength(1);
  });

  it('end an interrupted turn once, and ignore late events of it in the next one', () => {
    for (const dialect of [OPENCODE_DIALECT, KILO_DIALECT]) {
      const talk = replay(dialect, 'abort', { interruptAfter: 20 });
      expect(paths(talk).some((path) => path.endsWith('/abort'))).toBe(true);
      expect(only(talk.events, 'turn_end')).toEqual([{ type: 'turn_end', status: 'interrupted' }]);
      expect(talk.events.at(-1)?.type).toBe('turn_end');
    }
  });

  it('abort only after the server has started', () => {
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

  it('void the emitted part of an answer that the model must repeat', () => {
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

  it('let kilo retry when it asks whether the network is back, but not forever', () => {
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

  it('keep the error of a message that is complete and was never finished', () => {
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

  it('drop an error that the agent has overcome', () => {
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

  it('ignore the second end of an interrupted turn', () => {
    const codec = familyCodec(OPENCODE_DIALECT);
    const state = codec.open(createResolvedOptions({ mode: 'serve', nativePermissionMode: 'build' }));
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
  it('count reasoning as output, and a cost of 0 as 0', () => {
    const tokens = { input: 10, output: 4, reasoning: 6, cache: { read: 0, write: 0 } };
    expect(costEvent({ tokens, cost: 0 })).toMatchObject([
      { costUsd: 0, usage: { outputTokens: 10, totalTokens: 20 } },
    ]);
    expect(costEvent({ tokens })).toMatchObject([{ costUsd: null }]);
    expect(costEvent({ tokens: { ...tokens, input: 0, output: 0, reasoning: 0 }, cost: 0 })).toEqual([]);
  });
});
