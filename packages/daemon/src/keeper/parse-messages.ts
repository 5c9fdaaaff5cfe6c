import { isRecord } from '@agent-mux/core';
import type { KeeperMessage } from './protocol.ts';

/** Undefined: unknown to this version. */
export function parseKeeperMessage(value: unknown): KeeperMessage | undefined {
  if (!isRecord(value)) return undefined;
  const { sessionId } = value;
  if (value.type === 'reply') return readReply(value);
  if (typeof sessionId !== 'string') return undefined;
  const launch = typeof value.launch === 'number' ? { launch: value.launch } : {};
  switch (value.type) {
    case 'events': {
      const { from, lines } = value;
      if (typeof from !== 'number' || !Array.isArray(lines)) return undefined;
      return { type: 'events', sessionId, ...launch, from, lines: lines.filter((line) => typeof line === 'string') };
    }
    case 'ended':
      return { type: 'ended', sessionId, ...launch, lastSeq: Number(value.lastSeq) };
    case 'storage_error':
      return {
        type: 'storage_error',
        sessionId,
        ...launch,
        problem: typeof value.problem === 'string' ? value.problem : null,
      };
    default:
      return undefined;
  }
}

function readReply(value: Record<string, unknown>): KeeperMessage | undefined {
  const id = Number(value.id);
  if (value.ok === true) return { type: 'reply', id, ok: true, value: value.value };
  if (!isRecord(value.error)) return undefined;
  const { code, message, hint } = value.error;
  const error = { code: String(code), message: String(message), ...(typeof hint === 'string' ? { hint } : {}) };
  return { type: 'reply', id, ok: false, error };
}
