import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { ApiError } from './api-error.ts';
import { createBackoff } from './backoff.ts';
import type { Call, Http } from './http.ts';
import { createSseParser, type StreamMessage } from './sse-parser.ts';

/** The daemon is heard at least every few seconds; a connection that is silent for so long is dead. */
const SILENCE_MS = 60_000;

/** A connection that stood so long was a good one, also where nothing was said. */
const STOOD_MS = 3000;

export interface StreamOptions {
  /** The last number that the caller has; -1: none. */
  after: number;
  /** False: each connection begins anew, and nothing is gone on from. */
  isCounted?: boolean;
  signal?: AbortSignal;
  /** So long without any answer, then it fails. */
  patienceMs?: number;
  /** Told when a connection stands, and when one is lost. */
  onConnection?: (isUp: boolean) => void;
}

export interface Numbered<Value> {
  /** What to go on from. */
  number: number;
  value: Value;
  /** As it came. */
  text: string;
}

/** How one connection came to its end. */
export interface StreamEnd<Value> {
  /** The last that came over this connection; undefined: nothing did. */
  last: Value | undefined;
}

/**
 * What the daemon tells, each once and in order, over as many connections as it takes. In batches: what one read from the socket
 * held. While nobody asks for the next batch nothing is read, and the daemon keeps the rest. `isOver` is asked when the
 * daemon ends a connection by itself.
 */
export async function* readStream<Value>(
  http: Http,
  call: Pick<Call, 'path' | 'query'>,
  { after, isCounted = true, signal, patienceMs, onConnection }: StreamOptions,
  isOver: (end: StreamEnd<Value>) => boolean = () => false,
): AsyncGenerator<Numbered<Value>[], void, undefined> {
  const backoff = createBackoff({ patienceMs, signal });
  let last = after;
  while (!signal?.aborted) {
    let newest: Value | undefined;
    let failure: unknown;
    let openedAt = Number.POSITIVE_INFINITY;
    try {
      if (!isCounted) last = after;
      const query = isCounted ? { ...call.query, after: last } : call.query;
      const response = await http.open({ ...call, query, accept: 'text/event-stream', signal });
      onConnection?.(true);
      openedAt = performance.now();
      for await (const messages of readMessages(response, signal)) {
        backoff.succeeded();
        const batch = messages
          .map(({ id, data }) => ({ number: Number(id), value: JSON.parse(data) as Value, text: data }))
          .filter(({ number }) => number > last);
        if (batch.length === 0) continue;
        const newestOne = batch.at(-1)!;
        last = newestOne.number;
        newest = newestOne.value;
        yield batch;
      }
      if (isOver({ last: newest })) return;
      failure = new ApiError('NETWORK_ERROR', 'NO_ANSWER', `${call.path}: the daemon ended the stream`, {
        retryable: true,
      });
    } catch (error) {
      failure = error;
    }
    if (signal?.aborted) return;
    onConnection?.(false);
    if (performance.now() - openedAt > STOOD_MS) backoff.succeeded();
    await backoff.afterFailure(failure);
  }
}

/** The messages of one connection, none where it only shows that it is there. An end without a word, or silence, throws. */
async function* readMessages(response: IncomingMessage, signal?: AbortSignal): AsyncGenerator<StreamMessage[]> {
  const parse = createSseParser();
  const decoder = new StringDecoder('utf8');
  const pieces: AsyncIterator<Buffer> = response[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await withinSilence(pieces.next(), response);
      if (done) return;
      yield parse(decoder.write(value));
    }
  } catch (cause) {
    if (signal?.aborted) return;
    throw new ApiError('NETWORK_ERROR', 'NO_ANSWER', `the stream broke off (${String(cause)})`, {
      retryable: true,
      cause,
    });
  } finally {
    response.destroy();
  }
}

async function withinSilence<Value>(next: Promise<Value>, response: IncomingMessage): Promise<Value> {
  const timer = setTimeout(() => response.destroy(new Error(`nothing for ${SILENCE_MS} ms`)), SILENCE_MS);
  try {
    return await next;
  } finally {
    clearTimeout(timer);
  }
}
