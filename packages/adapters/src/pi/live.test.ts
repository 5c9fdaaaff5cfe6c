import { createResolvedOptions, only, parseRecording, replayLive, textOf } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { live, recording } from '../../test/replay-pi.ts';
import { REFUSAL } from './gate.ts';
import { piCodec } from './live.ts';

describe('conversation over rpc', () => {
  const stateReply = (sessionId: string, more: object = {}) =>
    JSON.stringify({
      id: 'mux-1',
      type: 'response',
      command: 'get_state',
      success: true,
      data: { sessionId, ...more },
    });

  it.each([
    ['accepts an effort that its model has', { thinkingLevel: 'high', model: { reasoning: true } }, ['session_start']],
    ['warns of another effort', { thinkingLevel: 'low', model: { reasoning: true } }, ['session_start', 'debug']],
    [
      'refuses an effort without reasoning',
      { thinkingLevel: 'off', model: { reasoning: false } },
      ['error', 'turn_end'],
    ],
  ])('%s', (_, data, types) => {
    const state = piCodec.open(createResolvedOptions({ mode: 'rpc', thinkingEffort: 'high' }));
    piCodec.handshake(state);
    const context = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: false };
    const { events } = piCodec.decode(stateReply('s', data), state, context);
    expect(events.map(({ type }) => type)).toEqual(types);
    if (types[0] === 'error') expect(events[0]).toMatchObject({ code: 'CAPABILITY_ERROR' });
  });

  it('names its session before the first turn', () => {
    const { events, sent } = live('two-turns');
    expect(sent[0]).toEqual({ by: 'hello', line: '{"id":"mux-1","type":"get_state"}' });
    expect(events[0]).toMatchObject({ type: 'session_start', model: 'proof/scripted-model' });
    expect(only(events, 'turn_end')).toHaveLength(2);
  });

  it('sends the recorded lines to the agent', () => {
    for (const name of ['two-turns', 'approval', 'approval-denied', 'question', 'steer', 'interrupt']) {
      const said = parseRecording(recording(`${name}.txt`)).filter(({ direction }) => direction === 'out');
      const { sent } = live(name);
      expect(sent.map(({ line }) => line).sort(), name).toEqual(said.map(({ line }) => line).sort());
    }
  });

  it('asks for a tool and runs it when it is allowed', () => {
    const { events } = live('approval');
    expect(only(events, 'approval_request')).toMatchObject([
      {
        toolName: 'bash',
        title: 'bash: touch approved.txt',
        input: { command: 'touch approved.txt' },
        options: [{ kind: 'allow_once' }, { kind: 'deny_once' }],
      },
    ]);
    const [request] = only(events, 'approval_request');
    expect(only(events, 'tool_result')[0]?.toolCallId).toBe(request?.toolCallId);
  });

  it('ends a denied call as denied', () => {
    const { events } = live('approval-denied');
    expect(only(events, 'tool_error')).toMatchObject([{ denied: true, error: expect.stringContaining(REFUSAL) }]);
    expect(only(events, 'tool_result')).toEqual([]);
  });

  it('requests no approvals in plan mode', () => {
    const { events } = live('plan');
    expect(only(events, 'approval_request')).toEqual([]);
    expect(only(events, 'tool_error').map(({ denied }) => denied)).toEqual([true, true]);
    expect(only(events, 'file_change')).toEqual([]);
  });

  it('reports the question of an extension and sends the answer', () => {
    const { events } = live('question');
    const [asked] = only(events, 'input_required');
    expect(asked?.questions).toMatchObject([
      { question: 'Which colour?', options: [{ label: 'Crimson' }, { label: 'Teal' }], multiple: false },
    ]);
    expect(only(events, 'tool_result')[0]?.output).toBe('The user chose Teal');
  });

  it('is steered within the turn', () => {
    const { events } = live('steer');
    expect(only(events, 'turn_end')).toHaveLength(1);
    expect(textOf(events)).toContain('steered to 42');
  });

  it('is interrupted and continues', () => {
    const { events } = live('interrupt');
    expect(only(events, 'turn_end').map(({ status }) => status)).toEqual(['interrupted', 'completed']);
    expect(only(events, 'interrupted')).toEqual([{ type: 'interrupted', by: 'caller' }]);
  });

  it('ends a turn that an extension has consumed', () => {
    const { events } = replayLive(
      piCodec,
      [
        stateReply('s'),
        '{"id":"mux-2","type":"response","command":"prompt","success":true}',
        '{"id":"mux-3","type":"response","command":"get_state","success":true,"data":{"isStreaming":false,"isCompacting":false}}',
      ],
      { inputs: ['/mine'], waitForSession: true },
    );
    expect(events.at(-1)).toEqual({ type: 'turn_end', status: 'completed' });
  });

  it('fails the turn of a refused prompt', () => {
    const { events } = replayLive(
      piCodec,
      [
        stateReply('s'),
        '{"id":"mux-2","type":"response","command":"prompt","success":false,"error":"No API key found for lab."}',
      ],
      { inputs: ['hello'], waitForSession: true },
    );
    expect(events.slice(1)).toMatchObject([
      { type: 'auth_error', message: 'No API key found for lab.' },
      { type: 'turn_end', status: 'failed' },
    ]);
  });

  it('counts late steering input to the turn', () => {
    const { events } = replayLive(
      piCodec,
      [
        stateReply('s'),
        '{"type":"agent_start"}',
        { act: 'steer', text: 'wait' },
        '{"type":"agent_settled"}',
        '{"id":"mux-3","type":"response","command":"prompt","success":true}',
        '{"type":"agent_start"}',
        '{"type":"agent_settled"}',
      ],
      { inputs: ['hello'], waitForSession: true },
    );
    expect(only(events, 'turn_end')).toHaveLength(1);
    expect(events.at(-1)?.type).toBe('turn_end');
  });

  it('stops a run at its start after an early interrupt', () => {
    const { sent } = replayLive(
      piCodec,
      [stateReply('s'), { act: 'interrupt' }, '{"id":"mux-2","type":"response","command":"prompt","success":true}'],
      { inputs: ['hello'], waitForSession: true },
    );
    expect(JSON.parse(sent.at(-1)?.line ?? '{}')).toMatchObject({ type: 'abort' });
  });

  it('rejects a prefix as an id', () => {
    const { events } = replayLive(piCodec, [stateReply('abcdef')], { options: { sessionId: 'abc' } });
    expect(events).toMatchObject([{ type: 'error', code: 'SESSION_NOT_FOUND' }, { type: 'turn_end' }]);
  });

  it('sends images and mentions other files', () => {
    const input = {
      text: 'Look.',
      attachments: [
        { path: '/a/dot.png', mimeType: 'image/png', name: 'dot.png', base64: 'QUJD' },
        { path: '/a/notes.txt', mimeType: 'text/plain', name: 'notes.txt' },
      ],
    };
    const [line] = piCodec.turn(input, piCodec.open(createResolvedOptions()));
    expect(JSON.parse(line ?? '')).toMatchObject({
      message: 'Look.\n\nAttached files:\n/a/notes.txt',
      images: [{ type: 'image', data: 'QUJD', mimeType: 'image/png' }],
    });
  });

  it('splits a model into provider and id', () => {
    const [line] = piCodec.setModel?.('openrouter/meta/llama', piCodec.open(createResolvedOptions())) ?? [];
    expect(JSON.parse(line ?? '')).toMatchObject({ type: 'set_model', provider: 'openrouter', modelId: 'meta/llama' });
  });
});
