import type { LiveCodec, ResolvedRunOptions } from '@agent-mux/core';
import { decodeFakeLine, parseObject } from './decode.ts';

export interface FakeLiveState {
  /** Sent with `hello`; strings, since the agent uses them as placeholders. */
  greeting: { session?: string; model?: string; mode?: string };
}

/**
 * The conversation of the `live` step. With `greets` the agent opens its session before the first turn; with `quietMs`
 * this much silence ends a turn.
 */
export function fakeLiveCodec(greets: boolean, quietMs?: number): LiveCodec<FakeLiveState> {
  const say = (message: Record<string, unknown>): string[] => [JSON.stringify(message)];
  return {
    open: (options: ResolvedRunOptions) => ({
      greeting: { session: options.sessionId, model: options.model, mode: options.approvalMode },
    }),
    handshake: (state) => (greets ? say({ hello: state.greeting }) : []),
    turn: (input) => say({ turn: input.text }),
    decode(line) {
      if (line.startsWith('{"type":"ping"')) {
        return { events: [], replies: say({ pong: parseObject(line)?.id }) };
      }
      const event = decodeFakeLine(line);
      return { events: event ? [event] : [] };
    },
    resolve({ requestId }, { kind, ...given }) {
      if (!('answer' in given)) return say({ deny: requestId, message: kind });
      const { answer } = given;
      if ('answers' in answer) return say({ answer: requestId, answers: answer.answers });
      if ('declined' in answer) return say({ deny: requestId, message: 'declined' });
      const { decision, ...details } = answer;
      return say(decision === 'allow' ? { approve: requestId, ...details } : { deny: requestId, ...details });
    },
    interrupt: () => say({ interrupt: true }),
    steer: (input) => say({ steer: input.text }),
    setModel: (model) => say({ model }),
    setApprovalMode: (mode) => say({ mode }),
    idleMs: () => quietMs,
    onIdle: (_state, over) => ({
      events: over ? [] : [{ type: 'turn_end', status: 'completed', stopReason: 'quiet' }],
    }),
  };
}
