import { createResolvedOptions, only, parseRecording, textOf } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { live, recording, shape } from '../../../test/replay-codex.ts';
import { appServerCodec } from './live.ts';

describe('conversation with the app-server', () => {
  it('opens a thread, thinks, answers and runs a second turn', () => {
    const events = live('two-turns');
    expect(shape(events)).toEqual([
      'session_start',
      'thinking_start',
      'thinking_delta',
      'thinking_stop',
      'message_start',
      'text_delta',
      'message_stop',
      'turn_end',
      'message_start',
      'text_delta',
      'message_stop',
      'turn_end',
    ]);
    expect(only(events, 'session_start')[0]).toMatchObject({
      model: 'gpt-5.5',
      agentVersion: '0.166.0',
      permissionMode: 'untrusted',
    });
  });

  it('counts the tokens of each request, cached ones separately', () => {
    const events = live('two-turns');
    const [context] = only(events, 'context_usage');
    expect(context).toEqual({ type: 'context_usage', usedTokens: 1284, maxTokens: expect.any(Number) });
    const [first] = only(events, 'cost');
    expect(first).toEqual({
      type: 'cost',
      usage: {
        inputTokens: 250,
        outputTokens: 34,
        cacheReadTokens: 1000,
        cacheCreationTokens: 0,
        totalTokens: 1284,
      },
      costUsd: null,
      scope: 'delta',
      source: 'reported',
      model: 'gpt-5.5',
    });
  });

  it.each(['resume', 'fork'] as const)('counts only its own turn after a %s', (how) => {
    const opening = parseRecording(recording(`${how}.txt`)).find(({ line }) => line.includes(`"thread/${how}"`));
    const id: string = JSON.parse(opening?.line ?? '{}').params.threadId;
    const events = live(how, how === 'fork' ? { forkSessionId: id } : { sessionId: id });
    expect(only(events, 'cost')).toHaveLength(1);
    expect(only(events, 'session_start')[0]?.sessionId === id).toBe(how === 'resume');
  });

  it('ignores the token count of an earlier turn that a resumed thread repeats', () => {
    const codec = appServerCodec();
    const state = codec.open(createResolvedOptions({ mode: 'app-server' }));
    Object.assign(state, { threadId: 't', turnId: 'now', turn: 'running' });
    const context = { now: 0, sessionId: 't', turnIndex: 0, turnActive: true };
    const usageOf = (turnId: string) => {
      const params = { threadId: 't', turnId, tokenUsage: { last: { inputTokens: 1, outputTokens: 2 } } };
      return codec.decode(JSON.stringify({ method: 'thread/tokenUsage/updated', params }), state, context).events;
    };
    expect(usageOf('earlier')).toEqual([]);
    expect(only(usageOf('now'), 'cost')).toHaveLength(1);
  });

  it('reports a missing session', () => {
    const events = live('resume-unknown', { sessionId: '01a1e191-6344-7130-8cbf-84df88aaaaaa' });
    expect(events).toMatchObject([
      { type: 'error', code: 'SESSION_NOT_FOUND' },
      { type: 'turn_end', status: 'failed' },
    ]);
  });

  it('closes the message that an interrupt leaves open', () => {
    const events = live('interrupt', { approvalMode: 'yolo' });
    expect(shape(events)).toEqual([
      'session_start',
      'message_start',
      'text_delta',
      'message_stop',
      'interrupted',
      'turn_end',
      'message_start',
      'text_delta',
      'message_stop',
      'turn_end',
    ]);
    expect(only(events, 'interrupted')).toEqual([{ type: 'interrupted', by: 'caller' }]);
    expect(only(events, 'turn_end').map(({ status }) => status)).toEqual(['interrupted', 'completed']);
  });

  it('continues the same turn after steering', () => {
    const events = live('steer', { approvalMode: 'yolo' });
    expect(only(events, 'message_start', 'message_stop')).toHaveLength(4);
    expect(textOf(events)).toMatch(/^c0 x+ .*steered$/);
    expect(only(events, 'turn_end')).toHaveLength(1);
  });

  it('sends an early interrupt as soon as the turn has an id', () => {
    const codec = appServerCodec();
    const state = codec.open(createResolvedOptions({ mode: 'app-server' }));
    state.threadId = 't';
    codec.turn({ text: 'x', attachments: [] }, state);
    expect(codec.interrupt?.(state)).toEqual([]);
    const context = { now: 0, sessionId: 't', turnIndex: 0, turnActive: true };
    const { replies } = codec.decode('{"id":0,"result":{"turn":{"id":"turn-1"}}}', state, context);
    expect(replies?.map((line) => JSON.parse(line))).toMatchObject([
      { method: 'turn/interrupt', params: { threadId: 't', turnId: 'turn-1' } },
    ]);
  });

  it('changes model and permissions with the next turn, once', () => {
    const codec = appServerCodec();
    const state = codec.open(createResolvedOptions({ mode: 'app-server', addDirs: ['/more'] }));
    const turn = () => JSON.parse(codec.turn({ text: 'x', attachments: [] }, state)[0] ?? '').params;
    codec.setModel?.('other', state);
    codec.setApprovalMode?.('accept-edits', state);
    expect(turn()).toMatchObject({
      model: 'other',
      approvalPolicy: 'untrusted',
      sandboxPolicy: { type: 'workspaceWrite', writableRoots: ['/more'], networkAccess: false },
    });
    expect(turn()).not.toHaveProperty('model');
  });
});
