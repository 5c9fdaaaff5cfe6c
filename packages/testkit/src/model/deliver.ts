import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Codec, Exchange, Frame } from './codec.ts';
import type { Ending, Reply } from './reply.ts';

/** How an exchange ended: `gone` means that the client hung up before the answer was complete. */
export type Outcome = 'answered' | 'dropped' | 'gone';

/** Writes a reply to the socket in its API's format, and resolves when the response is over, however it ended. */
export async function deliver(
  reply: Reply,
  codec: Codec,
  exchange: Exchange,
  response: ServerResponse,
): Promise<Outcome> {
  const { failure, ending, parts, extraHeaders } = reply.fields;
  if (failure) {
    const wait = failure.retryAfterSeconds;
    const headers = { ...(wait === null ? {} : { 'retry-after': String(wait) }), ...extraHeaders };
    return sendJson(response, failure.status, failure.body ?? codec.error(failure), headers);
  }
  const { stream } = exchange.request;
  if (ending.type !== 'complete' && (!stream || parts.length === 0 || ending.afterChunks === 0)) {
    return breakOff(ending.type, response);
  }
  if (!stream) return sendJson(response, 200, codec.whole(reply, exchange), extraHeaders);

  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...extraHeaders });
  const alive = await writeFrames(upTo(ending, codec.stream(reply, exchange)), response);
  if (!alive) return 'gone';
  return ending.type === 'complete' ? end(response) : breakOff(ending.type, response);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  return end(response, JSON.stringify(body));
}

function* upTo(ending: Ending, frames: Iterable<Frame>): Iterable<Frame> {
  let deltas = 0;
  for (const frame of frames) {
    if (ending.type !== 'complete' && frame.kind === 'finish') return;
    yield frame;
    if (frame.kind === 'delta') deltas += 1;
    if (ending.type !== 'complete' && deltas === ending.afterChunks) return;
  }
}

/** Each frame is flushed before the next one, so it is a separate chunk and a slow reader is waited for. */
async function writeFrames(frames: Iterable<Frame>, response: ServerResponse): Promise<boolean> {
  const gone = new AbortController();
  const onClose = (): void => gone.abort();
  response.once('close', onClose);
  try {
    for (const frame of frames) {
      if (frame.delayMs > 0) await sleep(frame.delayMs, undefined, { signal: gone.signal });
      if (gone.signal.aborted || !(await write(frame.data, response))) return false;
    }
    return true;
  } catch (error) {
    if (gone.signal.aborted) return false;
    throw error;
  } finally {
    response.off('close', onClose);
  }
}

function write(data: string, response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const onClose = (): void => resolve(false);
    response.once('close', onClose);
    response.write(data, (error) => {
      response.off('close', onClose);
      resolve(!error);
    });
  });
}

function end(response: ServerResponse, body?: string): Promise<Outcome> {
  const over = awaitClose(response);
  response.end(body);
  return over;
}

function breakOff(how: 'drop' | 'hang', response: ServerResponse): Promise<Outcome> {
  const over = awaitClose(response);
  if (how === 'hang') return over;
  response.destroy();
  return over.then(() => 'dropped');
}

function awaitClose(response: ServerResponse): Promise<Outcome> {
  return new Promise((resolve) => {
    if (response.closed) resolve('gone');
    response.once('close', () => resolve(response.writableFinished ? 'answered' : 'gone'));
  });
}
