import { fileURLToPath } from 'node:url';
import type { DecodeContext, LiveCodec } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { fakeLiveCodec } from '../fake-agent/live-codec.ts';
import { assertDeterministic } from './determinism.ts';
import { type LiveAct, replayLive } from './live.ts';
import { readRecording } from './recording.ts';

const line = (value: Record<string, unknown>): string => JSON.stringify(value);
const sessionStart = line({ type: 'session_start', sessionId: 's' });
const turnEnd = line({ type: 'turn_end', status: 'completed' });
const approval = (requestId: string): string =>
  line({ type: 'approval_request', requestId, toolName: 'Bash', title: 'Run?', options: [] });

/** Decodes like the fake agent's codec, records the contexts, and counts in its state. It cannot interrupt. */
function contextCodec(): { codec: LiveCodec<{ lines: number }>; contexts: DecodeContext[] } {
  const contexts: DecodeContext[] = [];
  const codec: LiveCodec<{ lines: number }> = {
    open: () => ({ lines: 0 }),
    handshake: () => ['hello'],
    turn: ({ text }, state) => [`${text} after ${state.lines}`],
    resolve: (request, answer) => [`${request.kind} ${request.requestId} ${answer.kind}`],
    steer: ({ text }) => [`steer ${text}`],
    decode(message, state, context) {
      contexts.push(context);
      state.lines++;
      return fakeLiveCodec(false).decode(message, { greeting: {} }, context);
    },
  };
  return { codec, contexts };
}

describe('replayLive', () => {
  it('greets, sends the next input when a turn has ended, and keeps the context', () => {
    const { codec, contexts } = contextCodec();
    const { sent } = replayLive(codec, [sessionStart, turnEnd, 'noise', turnEnd, 'late'], {
      inputs: ['one', 'two'],
      now: (index) => index,
    });
    expect(sent).toEqual([
      { by: 'hello', line: 'hello' },
      { by: 'turn', line: 'one after 0' },
      { by: 'turn', line: 'two after 2' },
    ]);
    expect(contexts).toEqual([
      { now: 0, turnActive: true },
      { now: 1, turnActive: true },
      { now: 2, turnActive: true },
      { now: 3, turnActive: true },
      { now: 4, turnActive: false },
    ]);
  });

  it('waits for the session before the first turn if it comes first', () => {
    const { codec } = contextCodec();
    const { sent } = replayLive(codec, ['noise', sessionStart], { inputs: ['one'], waitForSession: true });
    expect(sent.at(-1)).toEqual({ by: 'turn', line: 'one after 2' });
  });

  it('counts a turn that the agent starts on its own', () => {
    const { codec, contexts } = contextCodec();
    const woken = line({ type: 'turn_start', origin: 'agent' });
    replayLive(codec, [turnEnd, woken, 'x'], { inputs: ['one'] });
    expect(contexts.at(-1)).toMatchObject({ turnActive: true });
  });

  it('separates replies from the other sent lines', () => {
    const replay = replayLive(fakeLiveCodec(true), [line({ type: 'ping', id: 'p' }), sessionStart], { inputs: ['go'] });
    expect(replay.replies).toEqual(['{"pong":"p"}']);
    expect(replay.sent.map(({ by }) => by)).toEqual(['hello', 'turn', 'reply']);
    expect(replay.events).toEqual([{ type: 'session_start', sessionId: 's' }]);
  });

  it('performs actions at their position', () => {
    const { codec } = contextCodec();
    const { sent } = replayLive(codec, [
      { act: 'turn', text: 'one' },
      approval('a'),
      approval('b'),
      { act: 'resolve', requestId: 'b', answer: { kind: 'approval', answer: { decision: 'deny' } } },
      { act: 'resolve', answer: { kind: 'cancelled' } },
      { act: 'steer', text: 'left' },
    ]);
    expect(sent.slice(1).map((entry) => entry.line)).toEqual([
      'one after 0',
      'approval b approval',
      'approval a cancelled',
      'steer left',
    ]);
  });

  it('answers requests by a rule', () => {
    const { codec } = contextCodec();
    const question = line({ type: 'input_required', requestId: 'q', questions: [] });
    const { sent } = replayLive(codec, [approval('a'), question], {
      answer: (event) =>
        event.type === 'input_required' ? { kind: 'input', answer: { declined: true } } : { kind: 'cancelled' },
    });
    expect(sent.slice(1).map((entry) => entry.line)).toEqual(['approval a cancelled', 'input q input']);
  });

  it('rejects an action that the codec or the conversation does not allow', () => {
    const { codec } = contextCodec();
    expect(() => replayLive(codec, [{ act: 'interrupt' }])).toThrow('cannot interrupt');
    expect(() => replayLive(codec, [{ act: 'resolve', answer: { kind: 'cancelled' } }])).toThrow('No open request');
  });

  it('replays a recorded conversation, with its outgoing lines read as actions', async () => {
    const path = fileURLToPath(new URL('./recordings/arrows.txt', import.meta.url));
    const conversation = await readRecording(path);
    const codec = typeCounter();
    const actOf = (out: string): LiveAct | undefined => {
      const { type, message } = JSON.parse(out);
      if (type === 'user') return { act: 'turn', text: message.content };
      if (type === 'control_response') return { act: 'resolve', answer: { kind: 'cancelled' } };
      return undefined;
    };
    const { sent, events } = assertDeterministic((options) => replayLive(codec, conversation, { actOf, ...options }));
    expect(sent.map(({ by }) => by)).toEqual(['turn', 'resolve']);
    expect(sent[0]?.line).toContain('touch /workspace/ok.txt');
    expect(events.filter(({ type }) => type === 'log')).toHaveLength(25);
    expect(events.filter(({ type }) => type === 'approval_request')).toHaveLength(1);
  });

  it('detects state that is not plain data', () => {
    const secretive: LiveCodec<{ seen: Set<string> }> = {
      open: () => ({ seen: new Set<string>() }),
      handshake: () => [],
      turn: () => [],
      resolve: () => [],
      decode: (message, state) => ({ events: [{ type: 'title', title: `${state.seen?.add?.(message).size}` }] }),
    };
    expect(() => assertDeterministic((options) => replayLive(secretive, ['a'], options))).toThrow('survive JSON');
  });
});

/** Knows only whether a line asks for something. */
function typeCounter(): LiveCodec<{ requests: number }> {
  return {
    open: () => ({ requests: 0 }),
    handshake: () => [],
    turn: ({ text }) => [text],
    resolve: ({ requestId }) => [requestId],
    decode(message, state) {
      if (JSON.parse(message).type !== 'control_request') {
        return { events: [{ type: 'log', source: 'stdout', line: message }] };
      }
      const requestId = `r${state.requests++}`;
      return { events: [{ type: 'approval_request', requestId, toolName: 'x', title: 'x', options: [] }] };
    },
  };
}
