import type { EventBody, InputAnswer } from '@agent-mux/core';
import { createResolvedOptions } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { acpCodec } from '../acp/codec.ts';
import type { Json } from '../shared/json.ts';
import { KIMI_ACP } from './dialect.ts';
import { kimiAdapter } from './index.ts';

const CONTEXT = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: true };

/** An open session with a prompt: its sent lines, and the events of updates. */
function asked(options: Parameters<typeof createResolvedOptions>[0] = {}) {
  const codec = acpCodec(KIMI_ACP);
  const state = codec.open(createResolvedOptions({ mode: 'acp', approvalMode: 'prompt', ...options }));
  const sent: Json[] = codec.handshake(state).map((line) => JSON.parse(line));
  const receive = (message: Json): EventBody[] => {
    const { events, replies = [] } = codec.decode(JSON.stringify({ jsonrpc: '2.0', ...message }), state, CONTEXT);
    sent.push(...replies.map((line): Json => JSON.parse(line)));
    return events;
  };
  receive({ id: 0, result: { agentCapabilities: { loadSession: true } } });
  receive({ id: 1, result: { sessionId: 'session_1' } });
  for (const { id } of sent.slice(2)) receive({ id, result: {} });
  const [prompt = '{}'] = codec.turn({ text: 'go', attachments: [] }, state);
  const promptId: unknown = JSON.parse(prompt).id;
  const update = (fields: Json) => receive({ method: 'session/update', params: { update: fields } });
  const say = (text: string) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  const resolve = (requestId: string, answer: InputAnswer): Json[] =>
    codec.resolve({ kind: 'input', requestId }, { kind: 'input', answer }, state).map((line): Json => JSON.parse(line));
  return {
    sent,
    receive,
    update,
    say,
    resolve,
    end: () => receive({ id: promptId, result: { stopReason: 'end_turn' } }),
  };
}

const written = (text: string) => [{ type: 'content', content: { type: 'text', text } }];
const WRITE = { sessionUpdate: 'tool_call', toolCallId: '0:call_1', title: 'Write', kind: 'edit', status: 'pending' };
const OPTIONS = [
  { optionId: 'approve_once', name: 'Approve once', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

describe('kimi acp', () => {
  it('passes images on', () => {
    const content = { type: 'image', data: 'aGk=', mimeType: 'image/webp' };
    expect(asked().update({ sessionUpdate: 'agent_message_chunk', content })).toContainEqual({
      type: 'image_output',
      mimeType: 'image/webp',
      base64: 'aGk=',
    });
  });

  it('waits for complete arguments, which come as text in pieces', () => {
    const { update } = asked();
    expect(update({ ...WRITE, content: written('') }).map(({ type }) => type)).toEqual(['tool_call_start']);
    const piece = { sessionUpdate: 'tool_call_update', toolCallId: '0:call_1', status: 'in_progress' };
    expect(update({ ...piece, content: written('{"path":"/a') })).toEqual([]);
    expect(update({ ...piece, content: written('{"path":"/a"}') })).toMatchObject([
      { type: 'tool_call_ready', toolCallId: '0:call_1', toolName: 'Write', input: { path: '/a' } },
    ]);
  });

  it('recognizes that an edit is requested, which the request does not say', () => {
    const { update, receive } = asked();
    update({ ...WRITE, content: written('{"path":"/a"}') });
    const toolCall = { toolCallId: '0:call_1', title: 'Write', content: written('Requesting approval to Writing /a') };
    const events = receive({ id: 7, method: 'session/request_permission', params: { toolCall, options: OPTIONS } });
    expect(events.at(-1)).toMatchObject({ type: 'approval_request', kind: 'edit', input: { path: '/a' } });
  });

  it('does not mistake an MCP tool for its own because of its name', () => {
    const { update, receive } = asked({ mcpServers: { files: { command: 'x' } } });
    update({ ...WRITE, title: 'mcp__files__Write', kind: 'other', content: written('{"path":"/a"}') });
    const toolCall = { toolCallId: '0:call_1', title: 'mcp__files__Write' };
    const events = receive({ id: 7, method: 'session/request_permission', params: { toolCall, options: OPTIONS } });
    expect(events.at(-1)).toMatchObject({ type: 'approval_request', toolName: 'Write', kind: 'mcp' });
  });

  it('asks its questions and encodes the answers in the format of each', () => {
    const { receive, sent, resolve } = asked();
    expect(sent[0]).toMatchObject({ params: { clientCapabilities: { elicitation: { form: {} } } } });
    const choices = [{ const: 'Red' }, { const: 'Blue' }];
    const properties = {
      q0: { type: 'string', title: 'Wall', oneOf: choices },
      q1: { type: 'array', title: 'Doors', items: { anyOf: choices } },
    };
    const params = { mode: 'form', message: 'Which wall?\nWhich doors?', requestedSchema: { properties } };
    const [event] = receive({ id: 9, method: 'elicitation/create', params });
    const options = [{ label: 'Red' }, { label: 'Blue' }];
    expect(event).toMatchObject({
      type: 'input_required',
      questions: [
        { id: 'q0', question: 'Which wall?', header: 'Wall', options, multiple: false },
        { id: 'q1', question: 'Which doors?', header: 'Doors', options, multiple: true },
      ],
    });
    expect(resolve('elicitation:9', { answers: { q0: ['Red'], q1: ['Red', 'Blue'] } })).toMatchObject([
      { id: 9, result: { action: 'accept', content: { q0: 'Red', q1: ['Red', 'Blue'] } } },
    ]);
  });

  it('reports a declined question to the agent', () => {
    const { receive, resolve } = asked();
    receive({ id: 9, method: 'elicitation/create', params: { message: 'Well?' } });
    expect(resolve('elicitation:9', { declined: true })).toMatchObject([{ id: 9, result: { action: 'decline' } }]);
  });

  it('fails a turn that ends without output, since the CLI calls it completed', () => {
    expect(asked().end()).toMatchObject([
      { type: 'error', code: 'AGENT_ERROR' },
      { type: 'turn_end', status: 'failed' },
    ]);
    const { update, say, end } = asked();
    say('I look.');
    update({ ...WRITE, content: written('{"path":"/a"}') });
    expect(end().at(-1)).toMatchObject({ type: 'turn_end', status: 'failed' });
  });

  it('completes a turn with output', () => {
    const { say, end } = asked();
    say('Done.');
    expect(end().at(-1)).toMatchObject({ type: 'turn_end', status: 'completed' });
  });

  it('reports a context that cannot be compacted, and none of it as model output', () => {
    const { say, end } = asked();
    const events = ['Compacting conversation context…', 'Compaction cancelled.'].flatMap(say);
    expect(events.map(({ type }) => type)).toEqual(['debug', 'context_exceeded']);
    expect(end()).toMatchObject([{ type: 'turn_end', status: 'failed' }]);
  });

  it.each([
    ['prompt', 'default'],
    ['accept-edits', 'default'],
    ['deny', 'default'],
    ['plan', 'plan'],
    ['yolo', 'yolo'],
  ] as const)('sets approval mode %s as %s before the first prompt', (approvalMode, modeId) => {
    expect(asked({ approvalMode }).sent).toContainEqual(
      expect.objectContaining({ method: 'session/set_mode', params: { sessionId: 'session_1', modeId } }),
    );
  });

  it('sets model and thinking as session options', () => {
    const { sent } = asked({ model: 'k2', thinkingEffort: 'high' });
    const options = sent.filter(({ method }) => method === 'session/set_config_option').map(({ params }) => params);
    expect(options).toEqual([
      { sessionId: 'session_1', configId: 'model', value: 'k2' },
      { sessionId: 'session_1', configId: 'thinking', value: 'high' },
    ]);
  });

  it('is launched as an ACP server, without updates of the CLI', () => {
    const { args, env } = kimiAdapter.buildSpawnArgs(createResolvedOptions({ mode: 'acp' }));
    expect(args).toEqual(['acp']);
    expect(env.KIMI_CODE_NO_AUTO_UPDATE).toBe('1');
  });
});
