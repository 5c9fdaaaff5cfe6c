import type { EventBody } from '@agent-mux/core';
import { createResolvedOptions, only } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { COPILOT_ACP } from '../copilot/dialect.ts';
import { GROK_ACP } from '../grok/dialect.ts';
import { type Json, record } from '../shared/json.ts';
import { acpCodec } from './codec.ts';
import type { AcpDialect } from './dialect.ts';

type Options = Parameters<typeof createResolvedOptions>[0];

const CONTEXT = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: false };

/** Opens a session with an agent that answers as given; `sent` holds the settings it received. */
function open(dialect: AcpDialect, options: Options, answers: (method: string, params: Json) => Json) {
  const codec = acpCodec(dialect);
  const state = codec.open(createResolvedOptions(options));
  const events: EventBody[] = [];
  const sent: Json[] = [];
  const send = (lines: readonly string[]): void => {
    for (const line of lines) {
      const { id, method, params } = JSON.parse(line);
      if (method.startsWith('session/set_')) sent.push(params);
      const { updates = [], ...result } = answers(method, params);
      for (const update of Array.isArray(updates) ? updates : [])
        hear({ method: 'session/update', params: { sessionId: 's', update } });
      hear({ id, result });
    }
  };
  const hear = (message: Json): void => {
    const decoded = codec.decode(JSON.stringify({ jsonrpc: '2.0', ...message }), state, CONTEXT);
    events.push(...decoded.events);
    send(decoded.replies ?? []);
  };
  send(codec.handshake(state));
  return { events, sent, start: only(events, 'session_start')[0] };
}

const allowAll = (currentValue: string) => ({ id: 'allow_all', category: 'permissions', currentValue });

/** A Copilot session that was stored with everything allowed. */
function copilot(isObedient = true) {
  let allowed = 'on';
  return (method: string, params: Json): Json => {
    if (method === 'initialize') return { agentCapabilities: { loadSession: true } };
    if (params.configId === 'allow_all' && isObedient) allowed = String(params.value);
    if (method === 'session/set_mode') return {};
    return { configOptions: [allowAll(allowed)], modes: { currentModeId: 'agent' } };
  };
}

describe('permissions of a resumed ACP session', () => {
  it.each(['prompt', 'accept-edits', 'deny', 'plan'] as const)('switches allow_all off for "%s"', (approvalMode) => {
    const { sent, start } = open(COPILOT_ACP, { approvalMode, sessionId: 's' }, copilot());
    expect(sent[0]).toMatchObject({ configId: 'allow_all', value: 'off' });
    expect(start?.permissionMode).toMatch(/ allow_all=off$/);
  });

  it('switches allow_all on for "yolo"', () => {
    const { sent, start } = open(COPILOT_ACP, { approvalMode: 'yolo', sessionId: 's' }, copilot());
    expect(sent[0]).toMatchObject({ configId: 'allow_all', value: 'on' });
    expect(start?.permissionMode).toMatch(/ allow_all=on$/);
  });

  it('switches allow_all off before a native mode, which may switch it on again', () => {
    const { sent } = open(COPILOT_ACP, { nativePermissionMode: 'autopilot', sessionId: 's' }, copilot());
    expect(sent).toMatchObject([{ configId: 'allow_all', value: 'off' }, { modeId: 'autopilot' }]);
  });

  it('fails if the agent keeps the permissions stored with the session', () => {
    const { events, start } = open(COPILOT_ACP, { approvalMode: 'prompt', sessionId: 's' }, copilot(false));
    expect(start).toBeUndefined();
    expect(events[0]).toMatchObject({
      type: 'error',
      code: 'PROTOCOL_ERROR',
      message: 'the agent did not set allow_all to off',
    });
  });
});

describe('session_start of an ACP session', () => {
  it('has the mode that the agent reports', () => {
    const reports = (method: string): Json => (method === 'session/new' ? { modes: { currentModeId: 'auto' } } : {});
    expect(open({}, {}, reports).start?.permissionMode).toBe('auto');
    expect(open({}, {}, () => ({})).start).not.toHaveProperty('permissionMode');
  });

  it('has the mode that was set, even if the agent reports the previous one in between', () => {
    const late = (method: string): Json =>
      method === 'session/set_mode'
        ? { updates: [{ sessionUpdate: 'current_mode_update', currentModeId: 'auto' }] }
        : { modes: { currentModeId: 'auto' } };
    expect(open({ modes: { prompt: 'ask' } }, { approvalMode: 'prompt' }, late).start?.permissionMode).toBe('ask');
  });

  it('has the model that the agent uses, not the requested one', () => {
    const resolves = (_method: string, { configId }: Json): Json => ({
      configOptions: [{ id: 'model', category: 'model', currentValue: configId === 'model' ? 'm-2026' : 'default' }],
    });
    const dialect: AcpDialect = { model: { by: 'config', configId: 'model' } };
    expect(open(dialect, { model: 'm' }, resolves).start?.model).toBe('m-2026');
    expect(open(dialect, { model: 'm' }, () => ({})).start?.model).toBe('m');
    // Set by a launch flag: only the agent knows whether it took effect.
    expect(open({}, { model: 'm' }, resolves).start?.model).toBe('default');
    expect(open({}, { model: 'm' }, () => ({})).start?.model).toBe('m');
  });
});

describe('title of an ACP session', () => {
  const titles = (title: string, _meta: Json = {}) => {
    const update = { sessionUpdate: 'session_info_update', title, _meta };
    const codec = acpCodec();
    const state = codec.open(createResolvedOptions({ sessionId: 'agent:main:amux:1' }));
    Object.assign(state, { started: true, sessionId: 'agent:main:amux:1' });
    const line = JSON.stringify({ method: 'session/update', params: { update } });
    return only(codec.decode(line, state, CONTEXT).events, 'title').map((event) => event.title);
  };

  it('is never the id or the key of the session', () => {
    expect(titles('Fix the parser')).toEqual(['Fix the parser']);
    expect(titles('agent:main:amux:1')).toEqual([]);
    expect(titles('agent:main:other', { sessionKey: 'agent:main:other' })).toEqual([]);
  });
});

describe('model of a Grok turn', () => {
  it('is the model behind its alias', () => {
    const used = (...names: string[]) =>
      GROK_ACP.readUsedModel?.({ _meta: { usage: { modelUsage: Object.fromEntries(names.map((one) => [one, {}])) } } });
    expect(used('grok-code-1')).toBe('grok-code-1');
    expect(used('grok-code-1', 'grok-mini')).toBeUndefined();
    expect(GROK_ACP.readUsedModel?.(record(undefined))).toBeUndefined();
  });
});
