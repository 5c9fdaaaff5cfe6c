import type { EventBody, HttpCall, HttpMessage, LiveCodec, RequestAnswer, ResolvedRunOptions } from '@agent-mux/core';
import { decodeLine, flagsOf } from './protocol.ts';

export interface LiveState {
  model: string | null;
  flags: string[];
  lines: number;
}

/** The answer to an approval: the chosen option, or the first of its kind. */
function verdictOf(answer: RequestAnswer): string {
  if (answer.kind !== 'approval') return 'cancel';
  const { decision, optionId } = answer.answer;
  return optionId ?? (decision === 'allow' ? 'yes' : 'no');
}

/** Lines of JSON over stdio. */
export const codec: LiveCodec<LiveState> = {
  open: (options: ResolvedRunOptions) => ({ model: options.model ?? null, flags: flagsOf(options), lines: 0 }),
  handshake: (state) => [JSON.stringify({ open: state.flags })],
  turn: ({ text, attachments }, { model }) => [JSON.stringify({ text, attachments, model })],
  decode(line, state) {
    state.lines += 1;
    return { events: decodeLine(line) };
  },
  resolve: ({ requestId }, answer) => [JSON.stringify({ answer: requestId, verdict: verdictOf(answer) })],
  interrupt: () => ['{"stop":true}'],
  steer: ({ text }) => [JSON.stringify({ steer: text })],
  setModel(model, state) {
    state.model = model;
    return [];
  },
  close: () => ['{"bye":true}'],
};

/** The same over HTTP. */
export const httpCodec: LiveCodec<LiveState, HttpCall, HttpMessage> = {
  open: codec.open,
  handshake: ({ flags }) => [call('open', { flags })],
  turn: ({ text, attachments }, { model }) => [call('turn', { text, attachments, model })],
  decode: (message) => ({ events: message.kind === 'event' ? decodeLine(message.data) : decodeFailure(message) }),
  resolve: ({ requestId }, answer) => [call('answer', { requestId, verdict: verdictOf(answer) })],
  interrupt: () => [call('stop', {})],
  setModel(model, state) {
    state.model = model;
    return [];
  },
};

function call(tag: string, body: object): HttpCall {
  return { tag, method: 'POST', path: `/${tag}`, body };
}

function decodeFailure(message: HttpMessage): EventBody[] {
  if (message.kind !== 'failed') return [];
  return [{ type: 'error', code: 'NETWORK_ERROR', message: message.message, recoverable: true }];
}
