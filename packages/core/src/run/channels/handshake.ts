import type { EventBody } from '../../contract/events.ts';
import type { HttpCall } from '../../contract/live.ts';
import type { Invocation } from '../../contract/options.ts';
import { durationInWords } from '../../duration.ts';
import { quoteStderr } from '../../process/command.ts';
import { isRecord } from '../../values.ts';

/**
 * From the start of a long-lived agent to its open session, in milliseconds. An agent that has not answered by then is
 * ended: no model is asked in a handshake, so nothing that is slow for a good reason stands in its way.
 */
export const HANDSHAKE_LIMIT_MS = 60_000;
/** Of that, what a server may take to say where it listens: its own words for it are heard before ours. */
const SERVER_SHARE = 0.9;
/** A container may have to fetch its image first. */
const DOCKER_FACTOR = 10;

export function handshakeLimit(limitMs: number, { mode }: Invocation): number {
  return mode === 'docker' ? limitMs * DOCKER_FACTOR : limitMs;
}

export function serverLimit(limitMs: number): number {
  return limitMs * SERVER_SHARE;
}

export function handshakeFailure(name: string, step: string, limitMs: number, stderr: string): EventBody {
  const message = `${name} has not answered ${step} within ${durationInWords(limitMs)}; ${quoteStderr(stderr)}`;
  return { type: 'error', code: 'TIMEOUT', message, recoverable: false };
}

/** What a message asks for, in the agent's own words; undefined: it is an answer, or says nothing of itself. */
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
  const words = [method, isRecord(request) ? request.subtype : undefined, type];
  const word = words.find((each) => typeof each === 'string');
  return word === undefined ? undefined : `"${word}"`;
}

function isHttpCall(message: unknown): message is HttpCall {
  return isRecord(message) && typeof message.method === 'string' && typeof message.path === 'string';
}
