import type { Decoded } from '@agent-mux/core';
import { entryOf, isRecord, type Json, jsonLine, parseRecord, record, setEntry, text } from '../shared/json.ts';

/** State of a JSON-RPC conversation; plain data. */
export interface RpcState {
  nextId: number;
  /** Purpose of each of our open requests, by id. The two sides number their requests independently. */
  open: Record<string, string>;
  /** Codex omits the `jsonrpc` field. */
  version: '2.0' | null;
  /** Droid needs further fields on every line, its kind as `type`, and string ids. */
  envelope?: Readonly<Json>;
}

export interface RpcError {
  code: number | null;
  message: string;
  data: unknown;
}

export type RpcMessage =
  | { kind: 'reply'; id: RpcId; purpose: string; result: unknown }
  | { kind: 'failure'; id: RpcId; purpose: string; error: RpcError }
  | { kind: 'request'; id: RpcId; method: string; params: Json }
  | { kind: 'notice'; method: string; params: Json };

export type RpcId = number | string;

const METHOD_NOT_FOUND = -32601;

/** Handlers of a codec for each kind of message. A result that is not an object counts as an empty one. */
export interface RpcHandlers<State> {
  reply(purpose: string, result: Json, state: State): Decoded<string>;
  failure(purpose: string, error: RpcError, state: State): Decoded<string>;
  request(id: RpcId, method: string, params: Json, state: State): Decoded<string>;
  notice(method: string, params: Json, state: State): Decoded<string>;
}

/** One line of the other side. Anything other than JSON-RPC is ignored. */
export function decodeRpc<State extends { rpc: RpcState }>(
  line: string,
  state: State,
  handlers: RpcHandlers<State>,
): Decoded<string> {
  const message = readRpc(state.rpc, line);
  return message ? handleRpc(message, state, handlers) : { events: [] };
}

export function handleRpc<State>(message: RpcMessage, state: State, handlers: RpcHandlers<State>): Decoded<string> {
  switch (message.kind) {
    case 'reply':
      return handlers.reply(message.purpose, record(message.result), state);
    case 'failure':
      return handlers.failure(message.purpose, message.error, state);
    case 'request':
      return handlers.request(message.id, message.method, message.params, state);
    case 'notice':
      return handlers.notice(message.method, message.params, state);
  }
}

/** For a request that the client did not offer to serve, so that the other side does not wait forever. */
export function refuseRequest(state: RpcState, id: RpcId, method: string): Decoded<string> {
  return { events: [], replies: [rpcRefuse(state, id, METHOD_NOT_FOUND, `${method} is not offered`)] };
}

export function rpcState(version: RpcState['version'] = '2.0', envelope?: Readonly<Json>): RpcState {
  return { nextId: 0, open: {}, version, ...(envelope ? { envelope } : {}) };
}

/** `purpose` comes back with the reply. */
export function rpcRequest(state: RpcState, method: string, params: Json, purpose = method): string {
  const id = state.nextId++;
  setEntry(state.open, id, purpose);
  return line(state, 'request', { id: state.envelope ? String(id) : id, method, params });
}

export function rpcNotice(state: RpcState, method: string, params?: Json): string {
  return line(state, 'notification', { method, ...(params === undefined ? {} : { params }) });
}

export function rpcReply(state: RpcState, id: RpcId, result: unknown): string {
  return line(state, 'response', { id, result });
}

export function rpcRefuse(state: RpcState, id: RpcId, code: number, message: string): string {
  return line(state, 'response', { id, error: { code, message } });
}

/** Null: not a JSON-RPC message (a banner, a log line), or an unexpected reply. */
export function readRpc(state: RpcState, source: string): RpcMessage | null {
  const message = parseRecord(source);
  if (!message) return null;
  const method = text(message.method);
  const { id } = message;
  const hasId = typeof id === 'number' || typeof id === 'string';
  const params = isRecord(message.params) ? message.params : {};
  if (method !== undefined) return hasId ? { kind: 'request', id, method, params } : { kind: 'notice', method, params };
  if (!hasId) return null;
  const purpose = entryOf(state.open, id);
  if (purpose === undefined) return null;
  delete state.open[id];
  if (isRecord(message.error)) {
    const { code, message: words, data } = message.error;
    return {
      kind: 'failure',
      id,
      purpose,
      error: { code: typeof code === 'number' ? code : null, message: text(words) ?? 'unknown error', data },
    };
  }
  return { kind: 'reply', id, purpose, result: message.result };
}

function line({ version, envelope }: RpcState, type: 'request' | 'response' | 'notification', message: Json): string {
  const head = version === null ? {} : { jsonrpc: version };
  return jsonLine(envelope ? { ...head, ...envelope, type, ...message } : { ...head, ...message });
}
