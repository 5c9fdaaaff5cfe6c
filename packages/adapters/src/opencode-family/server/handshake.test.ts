import { EVENT_STREAM_TAG, type HttpMessage } from '@agent-mux/core';
import { createResolvedOptions, REPLAY_NOW } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { OPENCODE_DIALECT } from '../dialect.ts';
import { familyCodec } from './codec.ts';

const CONTEXT = { now: REPLAY_NOW, sessionId: undefined, turnIndex: 0, turnActive: true };
const AGENTS = [{ name: 'build', permission: [{ permission: '*', pattern: '*', action: 'allow' }] }];

function open(options: Parameters<typeof createResolvedOptions>[0] = {}) {
  const codec = familyCodec(OPENCODE_DIALECT);
  const state = codec.open(createResolvedOptions({ mode: 'serve', ...options }));
  codec.handshake(state);
  const hear = (message: HttpMessage) => codec.decode(message, state, CONTEXT);
  const reply = (tag: string, status: number, body: unknown) => hear({ kind: 'reply', tag, status, body, headers: {} });
  return { codec, state, hear, reply };
}

describe('thinking effort', () => {
  const providers = (variants: object) => ({
    providers: [{ id: 'lab', models: { m: { id: 'm', variants } } }],
    default: { lab: 'm' },
  });
  const start = (options: Parameters<typeof createResolvedOptions>[0], body: unknown) => {
    const { reply } = open({ nativePermissionMode: 'build', ...options });
    reply('health', 200, { healthy: true });
    const asked = reply('create', 200, { id: 'ses_1' });
    expect(asked).toMatchObject({ events: [], replies: [{ tag: 'providers', method: 'GET' }] });
    return reply('providers', 200, body).events;
  };

  it.each([{ model: 'lab/m' }, {}])('is accepted if the model supports it (%j)', (model) => {
    const events = start({ ...model, thinkingEffort: 'off' }, providers({ none: {}, high: {} }));
    expect(events).toMatchObject([{ type: 'session_start' }]);
  });

  it.each([{ model: 'lab/m' }, {}])('is rejected if the model does not support it (%j)', (model) => {
    const [error] = start({ ...model, thinkingEffort: 'max' }, providers({ none: {}, high: {} }));
    expect(error).toMatchObject({
      type: 'error',
      code: 'CAPABILITY_ERROR',
      message: expect.stringMatching(/lab\/m has no thinking effort "max": it has off, high /),
    });
    expect(start({ ...model, thinkingEffort: 'low' }, providers({}))[0]).toMatchObject({
      message: expect.stringMatching(/"low": it has none/),
    });
  });

  it('is a warning if the server does not list the variants of its model', () => {
    const events = start({ model: 'other/m', thinkingEffort: 'high' }, providers({ high: {} }));
    expect(events).toMatchObject([
      { type: 'debug', level: 'warn', code: 'thinking_effort_unchecked' },
      { type: 'session_start' },
    ]);
  });
});

describe('handshake', () => {
  it('resumes a session by its exact id, under the rules of this run', () => {
    const { reply } = open({ sessionId: 'ses_old', approvalMode: 'plan' });
    expect(reply('health', 200, { healthy: true }).replies?.[0]).toMatchObject({ tag: 'agents' });
    const [find] = reply('agents', 200, AGENTS).replies ?? [];
    expect(find).toMatchObject({ tag: 'find', method: 'GET', path: expect.stringContaining('/session/ses_old?') });
    const found = { id: 'ses_old', permission: [{ permission: '*', pattern: '*', action: 'allow' }] };
    const [rules] = reply('find', 200, found).replies ?? [];
    expect(rules).toMatchObject({ tag: 'rules', method: 'PATCH' });
    expect(reply('rules', 200, {}).replies).toMatchObject([{ tag: 'history' }]);
    const { events } = reply('history', 200, [{ info: { id: 'msg_9' } }]);
    expect(events).toMatchObject([{ type: 'session_start', sessionId: 'ses_old', permissionMode: 'plan' }]);
  });

  it('follows a session into its own folder, reports it, and subscribes there', () => {
    const { hear, reply } = open({ sessionId: 'ses_old', cwd: '/here' });
    reply('health', 200, { healthy: true });
    reply('agents', 200, AGENTS);
    const entered = reply('find', 200, { id: 'ses_old', directory: '/there' });
    expect(entered.events).toMatchObject([{ type: 'debug', code: 'session_other_project', level: 'warn' }]);
    expect(entered.replies).toMatchObject([{ path: '/event?directory=%2Fthere', response: 'stream' }]);
    const chunk = (data: unknown) => hear({ kind: 'chunk', tag: 'events', format: 'sse', data: JSON.stringify(data) });
    expect(chunk({ type: 'server.connected' }).replies).toMatchObject([{ tag: 'rules' }]);
    reply('rules', 200, {});
    expect(reply('history', 200, []).events).toMatchObject([{ type: 'session_start', cwd: '/there' }]);
    const titled = { type: 'session.updated', properties: { sessionID: 'ses_old', info: { title: 'New name' } } };
    expect(hear({ kind: 'event', data: JSON.stringify(titled) }).events).toEqual([]);
    expect(chunk(titled).events).toEqual([{ type: 'title', title: 'New name' }]);
    expect(reply('events', 200, null).replies).toMatchObject([{ tag: 'events' }]);
  });

  it('leaves rules alone that are already the last ones', () => {
    const { state, reply } = open({ sessionId: 'ses_old' });
    reply('health', 200, { healthy: true });
    reply('agents', 200, AGENTS);
    expect(reply('find', 200, { id: 'ses_old', permission: state.rules }).replies).toMatchObject([{ tag: 'history' }]);
  });

  it('reports a missing session instead of starting a new one', () => {
    for (const [id, status] of [
      ['ses_gone', 404],
      ['no-id-at-all', 500],
    ] as const) {
      const { reply } = open({ sessionId: id });
      reply('health', 200, { healthy: true });
      reply('agents', 200, AGENTS);
      expect(reply('find', status, { name: 'NotFoundError', data: { message: 'x' } }).events).toEqual([
        { type: 'error', code: 'SESSION_NOT_FOUND', message: `session ${id} not found`, recoverable: false },
        { type: 'turn_end', status: 'failed' },
      ]);
    }
  });

  it('reports a missing server, a wrong password, and another server', () => {
    const failed = open().hear({ kind: 'failed', tag: EVENT_STREAM_TAG, message: 'connect ECONNREFUSED' });
    expect(failed.events).toMatchObject([
      { type: 'error', code: 'NETWORK_ERROR', message: expect.stringContaining('ECONNREFUSED') },
      { type: 'turn_end' },
    ]);
    expect(open().reply(EVENT_STREAM_TAG, 401, '').events).toMatchObject([
      { type: 'auth_error', guidance: expect.stringContaining('OPENCODE_SERVER_PASSWORD') },
      { type: 'turn_end' },
    ]);
    expect(open().reply('health', 200, '<html>').events).toMatchObject([
      { type: 'error', code: 'PROTOCOL_ERROR' },
      { type: 'turn_end' },
    ]);
  });

  it('adds no rules to the agent that a native mode names', () => {
    const { reply } = open({ nativePermissionMode: 'reviewer' });
    expect(reply('health', 200, { healthy: true }).replies?.[0]).toMatchObject({ tag: 'create', body: {} });
  });

  it('rejects a model without a provider, and a remote invocation', () => {
    expect(() => open({ model: 'gpt' })).toThrow(/provider\/model/);
    expect(() => open({ invocation: { mode: 'docker', image: 'x' } })).toThrow(/invocation/);
  });
});

describe('open session', () => {
  function started() {
    const opened = open({ approvalMode: 'prompt', model: 'a/b/c' });
    opened.reply('health', 200, { healthy: true });
    opened.reply('agents', 200, AGENTS);
    opened.reply('create', 200, { id: 'ses_1' });
    return opened;
  }

  it('sends the model in its two parts, and images by value', () => {
    const { codec, state } = started();
    const image = { path: '/p.png', name: 'p.png', mimeType: 'image/png', base64: 'AAAA' };
    const note = { path: '/a b.txt', name: 'a b.txt', mimeType: 'text/plain' };
    const [call] = codec.turn({ text: 'look', attachments: [image, note] }, state);
    expect(call?.body).toEqual({
      model: { providerID: 'a', modelID: 'b/c' },
      parts: [
        { type: 'text', text: 'look' },
        { type: 'file', mime: 'image/png', filename: 'p.png', url: 'data:image/png;base64,AAAA' },
        { type: 'file', mime: 'text/plain', filename: 'a b.txt', url: 'file:///a%20b.txt' },
      ],
    });
  });

  it('holds a prompt back until the requested rules are in effect', () => {
    const { codec, state, reply } = started();
    expect(codec.setApprovalMode!('plan', state)).toMatchObject([{ tag: 'new-rules', method: 'PATCH' }]);
    expect(codec.turn({ text: 'go', attachments: [] }, state)).toEqual([]);
    expect(reply('new-rules', 200, {}).replies).toMatchObject([{ tag: 'prompt', body: { agent: 'plan' } }]);
  });

  it('sends no prompt if the rules were rejected', () => {
    const { codec, state, reply } = started();
    codec.setApprovalMode!('plan', state);
    codec.turn({ text: 'go', attachments: [] }, state);
    const { events, replies = [] } = reply('new-rules', 500, {});
    expect(replies).toEqual([]);
    expect(events).toMatchObject([{ type: 'error' }, { type: 'turn_end', status: 'failed' }]);
  });

  it('queries the session state when the stream of events has broken in a turn', () => {
    const { codec, state, hear, reply } = started();
    codec.turn({ text: 'go', attachments: [] }, state);
    const busy = { type: 'session.status', properties: { sessionID: 'ses_1', status: { type: 'busy' } } };
    hear({ kind: 'event', data: JSON.stringify(busy) });
    expect(hear({ kind: 'connected' }).replies).toMatchObject([{ tag: 'status' }]);
    expect(reply('status', 200, { ses_1: { type: 'busy' } }).events).toEqual([]);
    expect(reply('status', 200, {}).events).toMatchObject([{ type: 'turn_end' }]);
  });

  it('aborts when the run ends in mid-turn', () => {
    const { codec, state } = started();
    expect(codec.close!(state)).toEqual([]);
    codec.turn({ text: 'go', attachments: [] }, state);
    expect(codec.close!(state)).toMatchObject([{ path: expect.stringContaining('/session/ses_1/abort') }]);
  });
});
