import { readdirSync, readFileSync } from 'node:fs';
import { type EventBody, type PendingRequest, summarizeRequest } from '@agent-mux/core';
import { createResolvedOptions, only, parseRecording } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { isRecord, type Json, record, text } from '../shared/json.ts';
import { acpCodec } from './codec.ts';
import type { AcpDialect } from './dialect.ts';

/**
 * Runs a recorded conversation of another client through our codec. Both number their requests independently, so a
 * recorded answer goes to our request for the same method; requests that the other client did not send get an empty
 * answer.
 */
function replay(
  name: string,
  dialect: AcpDialect = {},
  options: Parameters<typeof createResolvedOptions>[0] = {},
): EventBody[] {
  const codec = acpCodec(dialect);
  const state = codec.open(createResolvedOptions(options));
  const events: EventBody[] = [];
  const theirs = new Map<unknown, string>();
  const ours: { id: unknown; method: string }[] = [];
  const asked: PendingRequest[] = [];
  const context = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: true };

  const take = (lines: readonly string[]): void => {
    for (const line of lines) {
      const message: Json = JSON.parse(line);
      if (message.id === undefined || typeof message.method !== 'string') continue;
      if (['session/set_mode', 'session/set_model', 'session/set_config_option'].includes(message.method)) {
        decode(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} }));
      } else ours.push({ id: message.id, method: message.method });
    }
  };
  const decode = (line: string): void => {
    const decoded = codec.decode(line, state, context);
    for (const event of decoded.events) {
      events.push(event);
      if (event.type === 'approval_request') {
        asked.push({ kind: 'approval', requestId: event.requestId, toolName: event.toolName, options: event.options });
      }
    }
    take(decoded.replies ?? []);
  };

  take(codec.handshake(state));
  for (const { direction, line } of parseRecording(
    readFileSync(new URL(`./recordings/${name}.jsonl`, import.meta.url)),
  )) {
    const message: Json = JSON.parse(line);
    if (direction === 'out') {
      if (message.id !== undefined && typeof message.method === 'string') theirs.set(message.id, message.method);
      if (message.method === 'session/prompt') take(codec.turn({ text: 'again', attachments: [] }, state));
      else if (message.method === 'session/cancel') take(codec.interrupt!(state));
      else if (isRecord(message.result) && isRecord(message.result.outcome)) answer(message.result.outcome);
      continue;
    }
    const method = message.method === undefined ? theirs.get(message.id) : undefined;
    if (method === undefined) {
      decode(line);
      continue;
    }
    const at = ours.findIndex((request) => request.method === method);
    const [request] = at === -1 ? [] : ours.splice(at, 1);
    if (request) decode(JSON.stringify({ ...message, id: request.id }));
  }
  return events;

  function answer(outcome: Json): void {
    const request = asked.shift();
    if (request?.kind !== 'approval') return;
    const chosen = request.options.find(({ id }) => id === text(outcome.optionId));
    const decision = chosen?.kind.startsWith('allow') ? 'allow' : 'deny';
    take(codec.resolve(request, { kind: 'approval', answer: { decision, optionId: chosen?.id } }, state));
  }
}

const AGENTS = readdirSync(new URL('./recordings/', import.meta.url))
  .filter((file) => !file.includes('-'))
  .map((file) => file.replace('.jsonl', ''));

describe('every recorded ACP agent', () => {
  it.each(AGENTS)('%s: starts one session, with its id, before anything else', (agent) => {
    const events = replay(agent);
    expect(only(events, 'session_start')).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: 'session_start', sessionId: expect.stringMatching(/.{8}/) });
  });

  it.each(AGENTS)('%s: ends the turn of every answered prompt exactly once', (agent) => {
    const recorded = parseRecording(readFileSync(new URL(`./recordings/${agent}.jsonl`, import.meta.url)));
    const prompts = new Set<unknown>();
    let answered = 0;
    for (const { direction, line } of recorded) {
      const message: Json = JSON.parse(line);
      if (direction === 'out' && message.method === 'session/prompt') prompts.add(message.id);
      if (direction === 'in' && message.method === undefined && prompts.has(message.id)) answered += 1;
    }
    expect(only(replay(agent), 'turn_end')).toHaveLength(answered);
  });

  it.each(AGENTS)('%s: starts a tool call and makes it ready before asking for approval', (agent) => {
    const events = replay(agent);
    for (const request of only(events, 'approval_request')) {
      const before = events.slice(0, events.indexOf(request));
      expect(only(before, 'tool_call_ready').map((event) => event.toolCallId)).toContain(request.toolCallId);
      expect(request.options.some(({ kind }) => kind === 'allow_once')).toBe(true);
      expect(request.options.some(({ kind }) => kind.startsWith('deny'))).toBe(true);
    }
  });

  it('hides fields that only the agent itself needs', () => {
    const shown = (name: string) =>
      only(replay(name), 'approval_request').map((event) =>
        summarizeRequest(event).lines.map(({ kind, text }) => `${kind} ${text}`),
      );
    expect(shown('gemini')).toEqual([
      ['field content: [current working directory /workspace] (x)'],
      ['field content[0].path: /workspace/w.txt', 'field change of /workspace/w.txt (content[0]):', 'added written'],
    ]);
    expect(shown('copilot')[0]).toEqual(['field command: echo hi-acp > f.txt; cat f.txt']);
    // An edit that is listed twice is shown once.
    expect(shown('claude').at(-1)).toEqual([
      'field file_path: /workspace/w.txt',
      'field change of /workspace/w.txt:',
      'added written',
    ]);
    for (const name of ['gemini', 'qwen', 'grok', 'copilot', 'opencode', 'kimi', 'goose', 'droid', 'claude'])
      expect(shown(name).flat().join('\n')).not.toMatch(/_meta|request\.|toolCallId|optionId/);
  });

  it('puts the diff, folder and reason of the agent into the request input', () => {
    const [shell, write] = only(replay('gemini'), 'approval_request');
    expect(shell?.input).toMatchObject({ request: { content: ['[current working directory /workspace] (x)'] } });
    expect(write?.input).toMatchObject({
      request: { content: [{ path: '/workspace/w.txt', oldText: '', newText: 'written' }] },
    });
    const [ofQwen] = only(replay('qwen'), 'approval_request');
    expect(ofQwen?.input).toMatchObject({
      command: 'echo hi-acp > f.txt; cat f.txt',
      is_background: false,
      request: { content: [expect.stringMatching(/^Auto Mode/)] },
    });
  });

  it.each(AGENTS)('%s: decodes the same bytes to the same events', (agent) => {
    expect(replay(agent)).toEqual(replay(agent));
  });
});

describe('ACP', () => {
  it('streams text, thinking, one granted tool and one denied tool of copilot', () => {
    const events = replay('copilot');
    expect(
      only(events, 'text_delta')
        .map((event) => event.delta)
        .join(''),
    ).toContain('say hello');
    expect(
      only(events, 'thinking_delta')
        .map((event) => event.delta)
        .join(''),
    ).toContain('deep thoughts here');
    expect(only(events, 'tool_result').length).toBeGreaterThan(0);
    expect(only(events, 'tool_error')[0]).toMatchObject({ denied: true });
  });

  it('ends a cancelled turn as interrupted and completes the next one', () => {
    const ends = only(replay('copilot'), 'turn_end').map(({ status }) => status);
    expect(ends).toContain('interrupted');
    expect(ends.lastIndexOf('completed')).toBeGreaterThan(ends.indexOf('interrupted'));
  });

  it('does not show replayed history as new, even after the answer to session/load', () => {
    const dialect: AcpDialect = { replayEndsWith: (update) => update.sessionUpdate === 'available_commands_update' };
    const sessionId = '0048b38d-3ad6-4c04-9a7a-bb054bbc0912';
    const events = replay('gemini-load', dialect, { sessionId });
    const shown = only(events, 'text_delta')
      .map((event) => event.delta)
      .join('');
    expect(shown).toBe('PONG: second turn after load');
    expect(events[0]).toMatchObject({ type: 'session_start', sessionId });
    // Output of another session, such as a subagent's, is not the agent's own.
    expect(only(replay('gemini-load', dialect, { sessionId: 'another' }), 'text_delta')).toEqual([]);
  });

  it('sets the mode of the approval mode before the session counts as started', () => {
    const codec = acpCodec({ modes: { plan: 'read-only' } });
    const state = codec.open(createResolvedOptions({ approvalMode: 'plan' }));
    const context = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: false };
    codec.handshake(state);
    codec.decode(JSON.stringify({ id: 0, result: { agentCapabilities: {} } }), state, context);
    const opened = codec.decode(JSON.stringify({ id: 1, result: { sessionId: 's' } }), state, context);
    expect(opened.events).toEqual([]);
    expect(record(JSON.parse(opened.replies?.[0] ?? '{}'))).toMatchObject({
      method: 'session/set_mode',
      params: { sessionId: 's', modeId: 'read-only' },
    });
    const refused = codec.decode(
      JSON.stringify({ id: 2, error: { code: -32602, message: 'no such mode' } }),
      state,
      context,
    );
    expect(refused.events).toMatchObject([
      { type: 'error', code: 'PROTOCOL_ERROR', recoverable: false },
      { type: 'turn_end', status: 'failed' },
    ]);
  });

  it('reports that a session cannot be opened when the load fails, whatever the error code', () => {
    for (const code of [-32002, -32602, -32603]) {
      const codec = acpCodec();
      const state = codec.open(createResolvedOptions({ sessionId: 'gone' }));
      const context = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: false };
      codec.handshake(state);
      codec.decode(JSON.stringify({ id: 0, result: { agentCapabilities: { loadSession: true } } }), state, context);
      const { events } = codec.decode(
        JSON.stringify({ id: 1, error: { code, message: 'no such session' } }),
        state,
        context,
      );
      expect(events[0]).toMatchObject({ type: 'error', code: 'SESSION_NOT_FOUND' });
    }
  });

  it('rejects requests that it did not offer, so that the agent does not hang', () => {
    const codec = acpCodec();
    const state = codec.open(createResolvedOptions({}));
    const context = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: false };
    const { replies } = codec.decode(
      JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'fs/read_text_file', params: {} }),
      state,
      context,
    );
    expect(JSON.parse(replies?.[0] ?? '{}')).toMatchObject({ id: 9, error: { code: -32601 } });
  });
});

describe('tool kind', () => {
  const codec = acpCodec({ mcpTool: (name) => (name === 'mcp' ? { server: 's', tool: 'execute' } : undefined) });
  const kinds = (...updates: Json[]) => {
    const state = codec.open(createResolvedOptions({}));
    const [first = ''] = codec.handshake(state);
    const context = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: true };
    const hear = (message: Json) => {
      const { events, replies = [] } = codec.decode(JSON.stringify({ jsonrpc: '2.0', ...message }), state, context);
      for (const reply of replies) {
        const { id, method } = JSON.parse(reply);
        if (method === 'session/new') hear({ id, result: { sessionId: 'session-1' } });
      }
      return events;
    };
    hear({ id: JSON.parse(first).id, result: { protocolVersion: 1, agentCapabilities: {} } });
    codec.turn({ text: 'x', attachments: [] }, state);
    const events = updates.flatMap((update) =>
      update.sessionUpdate
        ? hear({ method: 'session/update', params: { sessionId: 'session-1', update: { toolCallId: 't', ...update } } })
        : hear({ id: 9, method: 'session/request_permission', params: { toolCall: { toolCallId: 't', ...update } } }),
    );
    return events.flatMap((event) => ('toolName' in event ? [`${event.type} ${event.kind}`] : []));
  };

  it('uses the kind that the agent reports, if it is one of ours', () => {
    const call = { sessionUpdate: 'tool_call', title: 'x', name: 'x', rawInput: { a: 1 } };
    expect(kinds({ ...call, kind: 'delete' })).toEqual(['tool_call_start delete', 'tool_call_ready delete']);
    expect(kinds({ ...call, kind: 'switch_mode' })[0]).toBe('tool_call_start other');
    expect(kinds({ ...call, kind: 'mcp' })[0]).toBe('tool_call_start other');
    expect(kinds({ ...call, kind: 'toString' })[0]).toBe('tool_call_start other');
    expect(kinds(call)[0]).toBe('tool_call_start other');
  });

  it('escalates with later updates and applies to the permission request', () => {
    const start = { sessionUpdate: 'tool_call', title: 'x' };
    const update = { sessionUpdate: 'tool_call_update', kind: 'execute', rawInput: { command: 'ls' } };
    expect(kinds(start, { ...update, status: 'in_progress' }, { kind: 'read', title: 'x', options: [] })).toEqual([
      'tool_call_start other',
      'tool_call_ready execute',
      'approval_request execute',
    ]);
  });

  it('ignores the kind that the agent reports for an MCP tool', () => {
    const call = { sessionUpdate: 'tool_call', title: 'x', name: 'mcp', kind: 'read' };
    expect(kinds(call, { kind: 'read', title: 'x', options: [] }).at(-1)).toBe('approval_request mcp');
  });
});
