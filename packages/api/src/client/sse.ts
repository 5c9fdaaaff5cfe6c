import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { ApiError } from './api-error.ts';
import { createBackoff } from './backoff.ts';
import type { Call, Http } from './http.ts';
import { createSseParser, type StreamMessage } from './sse-parser.ts';

/** The daemon sends something every few seconds; a connection silent for this long is dead. */
const SILENCE_MS = 60_000;

/** A connection open for this long resets the backoff, even without a message. */
const STOOD_MS = 3000;

export interface StreamOptions {
  /** The last id the caller has; -1: none. */
  after: number;
  /** False: the stream has no ids, and each connection starts over. */
  isCounted?: boolean;
  signal?: AbortSignal;
  /** Fails after this long without a response. */
  patienceMs?: number;
  /** Called when a connection is established or lost. */
  onConnection?: (isUp: boolean) => void;
}

export interface Sequenced<Value> {
  /** Id to resume after. */
  number: number;
  value: Value;
  /** Unparsed data. */
  text: string;
}

/** How a connection ended. */
export interface StreamEnd<Value> {
  /** Last message of this connection; undefined if there was none. */
  last: Value | undefined;
}

/**
 * Streams messages of the daemon once and in order, over as many connections as needed, in batches of what one read returned.
 * Nothing is read until the next batch is requested; the daemon keeps the rest. `isOver` is called when the daemon ends a
 * connection.
 */
export async function* readStream<Value>(
  http: Http,
  call: Pick<Call, 'path' | 'query'>,
  { after, isCounted = true, signal, patienceMs, onConnection }: StreamOptions,
  isOver: (end: StreamEnd<Value>) => boolean = () => false,
): AsyncGenerator<Sequenced<Value>[], void, undefined> {
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

/** Messages of one connection; empty batches are keep-alives. Throws on an unexpected end or on silence. */
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
    throw new ApiError('NETWORK_ERROR', 'NO_ANSWER', `the stream was interrupted (${String(cause)})`, {
      retryable: true,
      cause,
    });
  } finally {
    response.destroy();
  }
}

async function withinSilence<Value>(next: Promise<Value>, response: IncomingMessage): Promise<Value> {
  const timer = setTimeout(() => response.destroy(new Error(`no data for ${SILENCE_MS} ms`)), SILENCE_MS);
  try {
    return await next;
  } finally {
    clearTimeout(timer);
  }
}
