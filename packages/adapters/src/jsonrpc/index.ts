import { entryOf, isRecord, type Json, jsonLine, parseRecord, setEntry, text } from '../shared/json.ts';

/** What a JSON-RPC conversation has to remember; plain data. */
export interface RpcState {
  nextId: number;
  /** What each of our open requests was for, by its id. The two sides number their requests apart. */
  open: Record<string, string>;
  /** Codex leaves the `jsonrpc` field out. */
  version: '2.0' | null;
  /** Droid wants further fields on every line, its kind as `type`, and ids that are strings. */
  envelope?: Readonly<Json>;
}

interface RpcError {
  code: number | null;
  message: string;
  data: unknown;
}

export type RpcMessage =
  | { kind: 'reply'; id: number | string; purpose: string; result: unknown }
  | { kind: 'failure'; id: number | string; purpose: string; error: RpcError }
  | { kind: 'request'; id: number | string; method: string; params: Json }
  | { kind: 'notice'; method: string; params: Json };

export const METHOD_NOT_FOUND = -32601;

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

export function rpcReply(state: RpcState, id: number | string, result: unknown): string {
  return line(state, 'response', { id, result });
}

export function rpcRefuse(state: RpcState, id: number | string, code: number, message: string): string {
  return line(state, 'response', { id, error: { code, message } });
}

/** Null: not a JSON-RPC message (a banner, a log line), or the reply to nothing that was asked. */
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
