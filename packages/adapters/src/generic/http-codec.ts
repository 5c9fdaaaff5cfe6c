import {
  type ApprovalMode,
  type Decoded,
  type EventBody,
  type HttpCall,
  type HttpMessage,
  type LiveCodec,
  toJson,
} from '@agent-mux/core';
import { cannotAskEvents } from './generic-adapter.ts';
import { statusError, transportError } from './http-errors.ts';
import { readSaid, type Said } from './http-text.ts';

export interface HttpRequestShape {
  method: string;
  /** Path and query of the endpoint. */
  path: string;
  contentType: string;
  timeoutMs: number;
}

export interface HttpState {
  session: string;
  approvalMode: ApprovalMode;
  warned: boolean;
  turns: number;
  failed: boolean;
}

type Chunk = Extract<HttpMessage, { kind: 'chunk' }>;
type Reply = Extract<HttpMessage, { kind: 'reply' }>;

/** A request per message; the body of the answer is what the agent says. */
export function httpCodec(name: string, shape: HttpRequestShape): LiveCodec<HttpState, HttpCall, HttpMessage> {
  return {
    open: (options) => ({
      session: options.runId,
      approvalMode: options.approvalMode,
      warned: false,
      turns: 0,
      failed: false,
    }),
    hello: () => [],
    turn(input, state) {
      state.turns += 1;
      state.failed = false;
      return [request(shape, input.text, state)];
    },
    decode(message, state, context) {
      const events: EventBody[] = state.warned ? [] : cannotAskEvents(name, state.approvalMode);
      state.warned = true;
      if (message.kind === 'connected' || message.kind === 'event' || message.tag !== tagOf(state)) return { events };
      if (message.kind === 'chunk') events.push(...chunkEvents(message, state));
      else if (message.kind === 'reply') events.push(...replyEvents(message, state, context.now));
      else events.push(transportError(message.message, shape.timeoutMs), { type: 'turn_end', status: 'failed' });
      return { events } satisfies Decoded<HttpCall>;
    },
    resolve: () => [],
  };
}

const tagOf = (state: HttpState) => `turn-${state.turns}`;

function request(shape: HttpRequestShape, text: string, state: HttpState): HttpCall {
  const common = { tag: tagOf(state), method: shape.method, response: 'stream', timeoutMs: shape.timeoutMs } as const;
  // Lets a service keep one conversation apart from another; the body holds nothing but the message.
  const headers = { 'agent-mux-session': state.session };
  if (shape.method === 'GET') {
    const separator = shape.path.includes('?') ? '&' : '?';
    return { ...common, headers, path: `${shape.path}${separator}message=${encodeURIComponent(text)}` };
  }
  const json = /\bjson\b/i.test(shape.contentType);
  return {
    ...common,
    path: shape.path,
    headers: { ...headers, 'content-type': shape.contentType },
    body: json ? JSON.stringify({ message: text }) : text,
  };
}

/** The driver cuts the body as its content type says; a whole JSON body comes as one line. */
function chunkEvents(chunk: Chunk, state: HttpState): EventBody[] {
  if (chunk.format === 'text') return say({ kind: 'text', text: chunk.data }, state);
  return say(readSaid(chunk.data, chunk.format === 'line' ? '\n' : ''), state);
}

function replyEvents(reply: Reply, state: HttpState, now: number): EventBody[] {
  if (reply.status < 200 || reply.status > 299) {
    return [statusError(reply.status, reply.headers, reply.body, now), { type: 'turn_end', status: 'failed' }];
  }
  const whole = bodyText(reply.body);
  const events = whole === '' ? [] : say(readSaid(whole, '\n'), state);
  return [...events, { type: 'turn_end', status: state.failed ? 'failed' : 'completed' }];
}

function bodyText(body: unknown): string {
  if (body === undefined || body === null) return '';
  return typeof body === 'string' ? body : toJson(body);
}

function say(said: Said, state: HttpState): EventBody[] {
  if (said.kind === 'error') {
    state.failed = true;
    return [{ type: 'error', code: 'AGENT_ERROR', message: said.message, recoverable: false }];
  }
  return said.text === '' ? [] : [{ type: 'text_delta', delta: said.text }];
}
