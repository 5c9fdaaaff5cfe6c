import type { EventBody } from '../../contract/events.ts';
import type { HttpCall } from '../../contract/live.ts';
import type { Invocation } from '../../contract/options.ts';
import { formatDuration } from '../../duration.ts';
import { quoteStderr } from '../../process/command.ts';
import { isRecord } from '../../values.ts';

/**
 * Time limit from the start of a long-lived agent to its open session, in milliseconds. An agent that has not answered
 * by then is ended: a handshake calls no model, so nothing in it is slow for a good reason.
 */
export const HANDSHAKE_LIMIT_MS = 60_000;
/** Share of that limit in which a server must print its address, so that its own error comes before ours. */
const SERVER_SHARE = 0.9;
/** Docker may have to pull the image first. */
const DOCKER_FACTOR = 10;

export function handshakeLimit(limitMs: number, { mode }: Invocation): number {
  return mode === 'docker' ? limitMs * DOCKER_FACTOR : limitMs;
}

export function serverLimit(limitMs: number): number {
  return limitMs * SERVER_SHARE;
}

export function handshakeFailure(name: string, step: string, limitMs: number, stderr: string): EventBody {
  const message = `${name} has not answered ${step} within ${formatDuration(limitMs)}; ${quoteStderr(stderr)}`;
  return { type: 'error', code: 'TIMEOUT', message, recoverable: false };
}

/** What a message requests, by the agent's own name; undefined for an answer or an unnamed message. */
export function stepOf(message: unknown): string | undefined {
  if (isHttpCall(message)) return `${message.method} ${message.path.split('?')[0]}`;
  if (typeof message !== 'string') return undefined;
  let sent: unknown;
  try {
    sent = JSON.parse(message);
  } catch {
    return undefined;
  }
  if (!isRecord(sent)) return undefined;
  const { method, request, type } = sent;
  const names = [method, isRecord(request) ? request.subtype : undefined, type];
  const name = names.find((each) => typeof each === 'string');
  return name === undefined ? undefined : `"${name}"`;
}

function isHttpCall(message: unknown): message is HttpCall {
  return isRecord(message) && typeof message.method === 'string' && typeof message.path === 'string';
}
