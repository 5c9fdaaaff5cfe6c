import { readFileSync } from 'node:fs';
import type { EventBody, HttpCall, HttpMessage, PendingRequest, RequestAnswer } from '@agent-mux/core';
import { createResolvedOptions, only, REPLAY_NOW } from '@agent-mux/testkit';
import type { FamilyDialect } from '../src/opencode-family/dialect.ts';
import { familyCodec } from '../src/opencode-family/server/codec.ts';
import type { FamilyState } from '../src/opencode-family/server/state.ts';

/** For conversations that were not recorded. */
export const SESSION = 'ses_fresh';
const BUILD_RULES = [
  { permission: '*', pattern: '*', action: 'allow' },
  { permission: 'read', pattern: '*.env', action: 'ask' },
];

export interface Talk {
  events: EventBody[];
  calls: HttpCall[];
}

export interface Script {
  options?: Parameters<typeof createResolvedOptions>[0];
  answer?: RequestAnswer;
  /** After this many events of the stream. */
  interruptAfter?: number;
  storeState?: boolean;
}

/** A recorded stream of events through the codec, with a server that answers every call as the real one does. */
export function replay(dialect: FamilyDialect, name: string, script: Script = {}): Talk {
  const file = new URL(`../src/${dialect.agent}/recordings/serve-${name}.jsonl`, import.meta.url);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const sessionId = /"sessionID":"(ses_\w+)","status":\{"type":"busy"/.exec(lines.join('\n'))![1]!;
  return converse(dialect, lines, sessionId, script);
}

export function converse(dialect: FamilyDialect, lines: readonly string[], sessionId: string, script: Script): Talk {
  const codec = familyCodec(dialect);
  let state: FamilyState = codec.open(createResolvedOptions({ mode: 'serve', cwd: '/workspace', ...script.options }));
  const talk: Talk = { events: [], calls: [] };
  const context = { now: REPLAY_NOW, sessionId: undefined, turnIndex: 0, turnActive: true };
  const say = (calls: readonly HttpCall[]): void => {
    for (const call of calls) {
      talk.calls.push(call);
      const reply = answerOf(call, sessionId);
      if (reply) hear({ kind: 'reply', tag: call.tag, headers: {}, ...reply });
    }
  };
  const hear = (message: HttpMessage): void => {
    const { events, replies = [] } = codec.decode(message, state, context);
    talk.events.push(...events);
    if (script.storeState) state = JSON.parse(JSON.stringify(state));
    say(replies);
    for (const event of events) {
      const request = pendingOf(event);
      if (request && script.answer) say(codec.resolve(request, script.answer, state));
    }
  };
  say(codec.handshake(state));
  say(codec.turn({ text: 'go', attachments: [] }, state));
  for (const [index, data] of lines.entries()) {
    if (index === script.interruptAfter) say(codec.interrupt!(state));
    hear({ kind: 'event', data });
  }
  return talk;
}

function answerOf({ tag, method, path }: HttpCall, sessionId: string): { status: number; body: unknown } | undefined {
  if (path.startsWith('/session/status')) return { status: 200, body: {} };
  switch (tag) {
    case 'health':
      return { status: 200, body: { healthy: true, version: '1.18.33' } };
    case 'agents':
      return { status: 200, body: ['build', 'code', 'plan'].map((name) => ({ name, permission: BUILD_RULES })) };
    case 'create':
      return { status: 200, body: { id: sessionId } };
    case 'mcp':
      return { status: 200, body: { labmcp: { status: 'connected' } } };
    case 'prompt':
      return { status: 204, body: '' };
    default:
      return method === 'POST' ? { status: 200, body: true } : undefined;
  }
}

function pendingOf(event: EventBody): PendingRequest | undefined {
  if (event.type === 'input_required') return { kind: 'input', requestId: event.requestId };
  if (event.type !== 'approval_request') return undefined;
  return { kind: 'approval', requestId: event.requestId, toolName: event.toolName, options: event.options };
}

export const shape = ({ events }: Talk) =>
  events
    .map(({ type }) => type)
    .filter((type, i, all) => type !== 'title' && (type !== 'text_delta' || all[i - 1] !== 'text_delta'));
export const textOf = ({ events }: Talk) =>
  only(events, 'text_delta')
    .filter(({ parentToolCallId }) => parentToolCallId === undefined)
    .map(({ delta }) => delta)
    .join('');
export const paths = ({ calls }: Talk) => calls.map(({ method, path }) => `${method} ${path.split('?')[0]}`);
