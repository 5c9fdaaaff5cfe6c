import {
  type ApprovalMode,
  type Decoded,
  type EventBody,
  type HttpCall,
  type HttpMessage,
  type LiveCodec,
  toJson,
} from '@agent-mux/core';
import { noApprovalEvents } from './generic-adapter.ts';
import { statusError, transportError } from './http-errors.ts';
import { noResponseAt, type ResponsePaths, readAt, usageAt } from './http-response.ts';
import { fillTemplate, type Message, type Placeholder } from './http-template.ts';
import { parseJson, type ResponseText, readResponseText } from './http-text.ts';

/** Maximum size of a conversation for `{{messages}}`; beyond it the oldest turns are dropped. */
const MAX_CONVERSATION_CHARS = 8 * 1024 * 1024;

export interface HttpRequestShape {
  method: string;
  /** Path and query of the endpoint. */
  path: string;
  contentType: string;
  timeoutMs: number;
  /** Absent: only the message. */
  body?: { template: unknown; uses: ReadonlySet<Placeholder> };
  /** Absent: the paths that most services use. */
  answer?: ResponsePaths;
}

export interface HttpState {
  session: string;
  approvalMode: ApprovalMode;
  system?: string;
  model?: string;
  warned: boolean;
  turns: number;
  failed: boolean;
  /** Text of this turn. */
  prompt: string;
  said: string;
  answered: boolean;
  /** The start of the answer, for the error that nothing was found in it. */
  came: string;
  conversation: Message[];
}

type Chunk = Extract<HttpMessage, { kind: 'chunk' }>;
type Reply = Extract<HttpMessage, { kind: 'reply' }>;

/** A request per message; the body of the answer is the agent's output. */
export function httpCodec(name: string, shape: HttpRequestShape): LiveCodec<HttpState, HttpCall, HttpMessage> {
  return {
    open: ({ runId, approvalMode, systemPrompt, model }) => ({
      session: runId,
      approvalMode,
      ...(systemPrompt === undefined ? {} : { system: systemPrompt }),
      ...(model === undefined ? {} : { model }),
      warned: false,
      turns: 0,
      failed: false,
      prompt: '',
      said: '',
      answered: false,
      came: '',
      conversation: [],
    }),
    handshake: () => [],
    turn(input, state) {
      state.turns += 1;
      Object.assign(state, { failed: false, prompt: input.text, said: '', answered: false, came: '' });
      return [request(shape, input.text, state)];
    },
    decode(message, state, context) {
      const events: EventBody[] = state.warned ? [] : noApprovalEvents(name, state.approvalMode);
      state.warned = true;
      if (message.kind === 'connected' || message.kind === 'event' || message.tag !== tagOf(state)) return { events };
      if (message.kind === 'chunk') events.push(...chunkEvents(message, state, shape));
      else if (message.kind === 'reply') events.push(...replyEvents(message, state, shape, context.now));
      else events.push(transportError(message.message, shape.timeoutMs), { type: 'turn_end', status: 'failed' });
      return { events } satisfies Decoded<HttpCall>;
    },
    resolve: () => [],
  };
}

const tagOf = (state: HttpState) => `turn-${state.turns}`;

function request(shape: HttpRequestShape, text: string, state: HttpState): HttpCall {
  const common = { tag: tagOf(state), method: shape.method, response: 'stream', timeoutMs: shape.timeoutMs } as const;
  // Lets a service distinguish conversations; the body holds only the message.
  const headers = { 'agent-mux-session': state.session };
  if (shape.method === 'GET') {
    const separator = shape.path.includes('?') ? '&' : '?';
    return { ...common, headers, path: `${shape.path}${separator}message=${encodeURIComponent(text)}` };
  }
  return {
    ...common,
    path: shape.path,
    headers: { ...headers, 'content-type': shape.contentType },
    body: bodyFor(shape, text, state),
  };
}

function bodyFor({ body, contentType }: HttpRequestShape, prompt: string, state: HttpState): string {
  if (!body) return isJsonType(contentType) ? JSON.stringify({ message: prompt }) : prompt;
  const { system, model, session, conversation } = state;
  const first: Message[] = system === undefined || body.uses.has('system') ? [] : [{ role: 'system', content: system }];
  const messages: Message[] = [...first, ...conversation, { role: 'user', content: prompt }];
  return JSON.stringify(fillTemplate(body.template, { prompt, system, model, session, messages }));
}

export function isJsonType(contentType: string): boolean {
  return /\bjson\b/i.test(contentType);
}

/** The driver splits the body by its content type; a whole JSON body comes as one line. */
function chunkEvents(chunk: Chunk, state: HttpState, { answer }: HttpRequestShape): EventBody[] {
  if (answer) return readAnswer(chunk.data, state, answer);
  if (chunk.format === 'text') return say({ kind: 'text', text: chunk.data }, state);
  return say(readResponseText(chunk.data, chunk.format === 'line' ? '\n' : ''), state);
}

function readAnswer(data: string, state: HttpState, answer: ResponsePaths): EventBody[] {
  state.came ||= data.slice(0, 200);
  const value = parseJson(data);
  const said = readAt(value, answer);
  if (said?.kind === 'text') state.answered = true;
  return [...(said ? say(said, state) : []), ...usageAt(value, answer)];
}

function replyEvents(reply: Reply, state: HttpState, { answer, body }: HttpRequestShape, now: number): EventBody[] {
  if (reply.status < 200 || reply.status > 299) {
    return [statusError(reply.status, reply.headers, reply.body, now), { type: 'turn_end', status: 'failed' }];
  }
  const whole = bodyText(reply.body);
  const events =
    whole === '' ? [] : answer ? readAnswer(whole, state, answer) : say(readResponseText(whole, '\n'), state);
  if (answer && !state.answered && !state.failed) {
    state.failed = true;
    events.push(noResponseAt(answer, state.came));
  }
  if (!state.failed && body?.uses.has('messages')) events.push(...remember(state));
  return [...events, { type: 'turn_end', status: state.failed ? 'failed' : 'completed' }];
}

/** A failed turn is not part of the conversation. */
function remember(state: HttpState): EventBody[] {
  const { conversation, prompt, said } = state;
  conversation.push({ role: 'user', content: prompt }, { role: 'assistant', content: said });
  let chars = conversation.reduce((sum, { content }) => sum + content.length, 0);
  if (chars <= MAX_CONVERSATION_CHARS) return [];
  while (chars > MAX_CONVERSATION_CHARS) {
    for (const { content } of conversation.splice(0, 2)) chars -= content.length;
  }
  const message = `the conversation is longer than ${MAX_CONVERSATION_CHARS} characters; its oldest turns are no longer sent`;
  return [{ type: 'debug', level: 'warn', code: 'conversation_truncated', message }];
}

function bodyText(body: unknown): string {
  if (body === undefined || body === null) return '';
  return typeof body === 'string' ? body : toJson(body);
}

function say(said: ResponseText, state: HttpState): EventBody[] {
  if (said.kind === 'error') {
    state.failed = true;
    return [{ type: 'error', code: 'AGENT_ERROR', message: said.message, recoverable: false }];
  }
  if (said.text === '') return [];
  if (state.said.length <= MAX_CONVERSATION_CHARS) state.said += said.text;
  return [{ type: 'text_delta', delta: said.text }];
}
