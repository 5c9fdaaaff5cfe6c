import { only, parseRecording, replayLive, shapeOf, textOf } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { live, recording } from '../../test/replay-droid.ts';
import { jsonRpcCodec } from './live.ts';

describe('conversation over JSON-RPC', () => {
  it('opens a session, answers and runs a second turn, each with its own tokens', () => {
    const events = live('two-turns');
    const turn = ['message_start', 'text_delta', 'message_stop', 'cost', 'turn_end'];
    expect(shapeOf(events)).toEqual(['session_start', ...turn, ...turn]);
    expect(only(events, 'session_start')[0]).toMatchObject({
      model: 'custom:scripted-model-0',
      permissionMode: 'auto/high',
    });
    const [first, second] = only(events, 'cost');
    expect([first?.scope, first?.usage.outputTokens, second?.usage.outputTokens]).toEqual(['turn', 40, 7]);
    expect(first?.usage).toMatchObject({ inputTokens: 371, cacheReadTokens: 1000, totalTokens: 1411 });
  });

  it('emits thinking, text, a call and its output in order', () => {
    const events = live('tool');
    expect(shapeOf(events)).toEqual([
      'session_start',
      'thinking_start',
      'thinking_delta',
      'thinking_stop',
      'message_start',
      'text_delta',
      'tool_call_start',
      'tool_call_ready',
      'message_stop',
      'tool_result',
      'message_start',
      'text_delta',
      'message_stop',
      'cost',
      'turn_end',
    ]);
    expect(only(events, 'tool_result')[0]).toMatchObject({ toolName: 'Execute', exitCode: 0 });
  });

  it('joins each of two calls to its own result', () => {
    const events = live('parallel');
    const calls = only(events, 'tool_call_ready').map(({ toolCallId }) => toolCallId);
    expect(new Set(calls).size).toBe(2);
    expect(only(events, 'tool_result').map(({ toolCallId }) => toolCallId)).toEqual(calls);
  });

  it('steers into the running turn, which ends once', () => {
    const events = live('steer', {}, true);
    expect(textOf(events)).toContain('steered to 42');
    expect(only(events, 'turn_end')).toHaveLength(1);
  });

  it('continues the turn when steering came too late and starts a native turn', () => {
    const notice = (notification: object) =>
      JSON.stringify({ type: 'notification', method: 'droid.session_notification', params: { notification } });
    const over = notice({ type: 'agent_turn_completed', reason: 'completed' });
    const conversation = (after: readonly string[]) =>
      replayLive(jsonRpcCodec(), [{ act: 'turn', text: 'one' }, { act: 'steer', text: 'two' }, over, ...after]).events;
    expect(only(conversation([]), 'turn_end')).toEqual([]);
    const taken = notice({ type: 'create_message', message: { role: 'user' }, requestId: '2' });
    expect(only(conversation([taken, over]), 'turn_end')).toHaveLength(1);
  });

  it('ends an interrupted turn as such and runs another one', () => {
    const events = live('interrupt');
    expect(only(events, 'interrupted')).toEqual([{ type: 'interrupted', by: 'caller' }]);
    expect(only(events, 'turn_end').map(({ status }) => status)).toEqual(['interrupted', 'completed']);
    expect(only(events, 'cost'), 'the first one is unknown').toHaveLength(1);
  });

  it('reports server and tool name of an MCP call', () => {
    const events = live('mcp', {
      mcpServers: { proof: { command: '/usr/bin/node', args: ['/opt/mcp-server.mjs'] } },
    });
    expect(only(events, 'mcp_tool_call_start')[0]).toMatchObject({ server: 'proof', toolName: 'secret_word' });
    expect(JSON.stringify(only(events, 'mcp_tool_result')[0]?.output)).toContain('pineapple');
    expect(only(events, 'tool_call_start', 'tool_call_ready', 'tool_result')).toEqual([]);
  });

  it('returns the structured answer with the end of the turn', () => {
    const outputSchema = {
      type: 'object',
      properties: { city: { type: 'string' }, population: { type: 'integer' } },
      required: ['city', 'population'],
      additionalProperties: false,
    };
    const events = live('structured', { outputSchema });
    expect(only(events, 'turn_end')[0]?.structured).toEqual({ city: 'Ulm', population: 126_000 });
  });
});

describe('stored session of Droid', () => {
  it('is loaded by its id and gets the settings of this run before the first turn', () => {
    const [hello] = parseRecording(recording('resume.txt'));
    const { sessionId } = JSON.parse(hello?.line ?? '').params;
    const events = live('resume', { sessionId });
    expect(only(events, 'session_start')[0]?.sessionId).toBe(sessionId);
    expect(textOf(events), 'its history is not emitted again').toBe('You asked for my name.');
  });

  it('is copied by a fork, which has its own id', () => {
    const [hello] = parseRecording(recording('fork.txt'));
    const { sessionId } = JSON.parse(hello?.line ?? '').params;
    const events = live('fork', { forkSessionId: sessionId });
    expect(only(events, 'session_start')[0]?.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(only(events, 'session_start')[0]?.sessionId).not.toBe(sessionId);
  });

  it('is an error if it does not exist', () => {
    const [hello] = parseRecording(recording('resume-unknown.txt'));
    const { sessionId } = JSON.parse(hello?.line ?? '').params;
    const events = live('resume-unknown', { sessionId });
    expect(events).toMatchObject([
      { type: 'error', code: 'SESSION_NOT_FOUND' },
      { type: 'turn_end', status: 'failed' },
    ]);
  });
});

describe('failures of Droid', () => {
  it('reports a refused key once', () => {
    const events = live('bad-key');
    expect(only(events, 'auth_error', 'error')).toMatchObject([
      { type: 'auth_error', message: expect.stringContaining('401') },
    ]);
    expect(only(events, 'turn_end')[0]?.status).toBe('failed');
  });

  it('classifies a failure by the end reason of the turn if its text says little', () => {
    const ended = (reason: string) =>
      replayLive(jsonRpcCodec(), [
        { act: 'turn', text: 'one' },
        JSON.stringify({
          type: 'notification',
          method: 'droid.session_notification',
          params: { notification: { type: 'agent_turn_completed', reason } },
        }),
      ]).events.at(0);
    expect(ended('model_authentication_failed')).toMatchObject({ type: 'auth_error' });
    expect(ended('model_usage_exhausted')).toMatchObject({ type: 'rate_limit_error', retrying: false });
    expect(ended('model_provider_unreachable')).toMatchObject({ type: 'error', code: 'NETWORK_ERROR' });
    expect(ended('structured_output_invalid')).toMatchObject({ type: 'error', code: 'OUTPUT_SCHEMA_ERROR' });
    expect(ended('something_new')).toMatchObject({ type: 'error', code: 'AGENT_ERROR' });
  });

  it('reports a rate limit when Droid retries because of it', () => {
    const [hello] = parseRecording(recording('rate-limit.txt'));
    const { sessionId } = JSON.parse(hello?.line ?? '').params;
    const events = live('rate-limit', sessionId ? { sessionId } : {});
    expect(only(events, 'rate_limit_error')[0]).toMatchObject({ retrying: true });
  });

  it('reports a failing model as a retry of the agent', () => {
    expect(only(live('server-error'), 'retry')[0]).toMatchObject({ by: 'agent', attempt: 1, reason: 'overloaded' });
  });
});
