import type { ApprovalMode, LiveCodec, ResolvedRunOptions, TurnInput } from '@agent-mux/core';
import { type Json, jsonLine } from '../shared/json.ts';
import { uuidOf } from '../shared/uuid.ts';
import { controlRequest, encodeAnswer } from './control.ts';
import { decodeLine } from './decode.ts';
import type { StreamDialect } from './dialect.ts';
import { openState, type StreamState } from './state.ts';

/** The live conversation over stdin and stdout. `promptText` mentions attachments in the text if they are files. */
export function claudeStreamCodec(
  dialect: StreamDialect,
  promptText: (input: TurnInput) => string,
): LiveCodec<StreamState, string, string> {
  const codec: LiveCodec<StreamState, string, string> = {
    open(options: ResolvedRunOptions) {
      const greeting = dialect.greeting?.(options);
      const resumes = (options.sessionId ?? options.forkSessionId) !== undefined;
      return { ...openState(options.runId, resumes), ...(greeting ? { greeting } : {}) };
    },
    handshake: (state) => [request(state, { ...dialect.initialize, ...state.greeting })],
    turn: (input) => [userLine(promptText(input))],
    decode(line, state) {
      const decoded = decodeLine(line, state, dialect);
      if (!decoded) return { events: [{ type: 'log', source: 'stdout', line }] };
      if (state.loginRefused !== 'reported') return decoded;
      state.loginRefused = 'stopping';
      return { events: decoded.events, replies: [...decoded.replies, request(state, { subtype: 'interrupt' })] };
    },
    resolve: (pending, answer, state) => encodeAnswer(pending.requestId, answer, state),
    interrupt: (state) => [request(state, { subtype: 'interrupt' })],
    setModel: (model, state) => [request(state, { subtype: 'set_model', model })],
    setApprovalMode(mode: ApprovalMode, state) {
      const native = dialect.permissionModes[mode];
      return native ? [request(state, { subtype: 'set_permission_mode', mode: native })] : [];
    },
  };
  if (!dialect.canSteer) return codec;
  return {
    ...codec,
    // `next`: delivered with the next tool result, or right after the running answer. `now` would cut that answer off.
    steer(input, state) {
      const uuid = inputId(state);
      state.steering.push(uuid);
      return [userLine(promptText(input), { uuid, priority: 'next' })];
    },
  };
}

function request(state: StreamState, body: Json): string {
  state.sentCount += 1;
  const id = `mux-${state.sentCount}`;
  state.sent[id] = String(body.subtype);
  return controlRequest(id, body);
}

function userLine(content: string, more: Json = {}): string {
  return jsonLine({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more });
}

/** A UUID that depends only on the run and the number of inputs: codecs are deterministic. */
function inputId(state: StreamState): string {
  state.inputCount += 1;
  return uuidOf(`${state.idSeed}/${state.inputCount}`);
}
