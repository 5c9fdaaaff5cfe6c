import { createSseParser, type OperationId } from '@agent-mux/api/browser';
import { CallError, request } from './call.ts';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;
/** The daemon says something every 15 seconds; after so long without a word the connection is dead. */
const SILENCE_MS = 45_000;
/** What comes within one frame is taken at once. */
const FRAME_MS = 16;

export interface StreamOptions<Value> {
  op: OperationId;
  params?: Readonly<Record<string, string>>;
  after: number;
  /** Instead of where to go on from: for a stream that begins anew each time. */
  query?: Readonly<Record<string, unknown>>;
  /** What has come at once, and the number to go on from. Never twice the same. */
  onBatch(values: Value[], last: number): void;
  onState?(state: 'open' | 'broken' | 'refused', error?: CallError): void;
  signal: AbortSignal;
}

/**
 * Follows a stream for as long as the signal lets it: what breaks is opened again from the last number that came, at once when the
 * network is back or the page is looked at again. What is refused for good (signed out, gone) ends it.
 */
export async function followStream<Value>(options: StreamOptions<Value>): Promise<void> {
  const { onState, signal } = options;
  let { after } = options;
  let failures = 0;
  while (!signal.aborted) {
    try {
      await readOnce<Value>({
        ...options,
        after,
        onState(state) {
          failures = 0;
          onState?.(state);
        },
        onBatch(values, last) {
          after = last;
          options.onBatch(values, last);
        },
      });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof CallError && isForGood(error)) {
        onState?.('refused', error);
        return;
      }
      onState?.('broken', error instanceof CallError ? error : undefined);
    }
    await pause(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures), signal);
    failures += 1;
  }
}

async function readOnce<Value>({
  op,
  params,
  after,
  query = { after },
  onBatch,
  onState,
  signal,
}: StreamOptions<Value>): Promise<void> {
  const ending = new AbortController();
  const end = () => ending.abort();
  signal.addEventListener('abort', end, { once: true });
  let silence = setTimeout(end, SILENCE_MS);
  let waiting: Value[] = [];
  let last = after;
  let frame: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    frame = undefined;
    const values = waiting;
    waiting = [];
    if (values.length > 0 && !signal.aborted) onBatch(values, last);
  };
  try {
    const response = await request(op, { params, query }, { signal: ending.signal, accept: 'text/event-stream' });
    onState?.('open');
    const parse = createSseParser();
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(silence);
      silence = setTimeout(end, SILENCE_MS);
      for (const { id, data } of parse(value)) {
        waiting.push(JSON.parse(data) as Value);
        last = Number(id);
      }
      if (waiting.length > 0) frame ??= setTimeout(flush, FRAME_MS);
    }
  } finally {
    clearTimeout(silence);
    clearTimeout(frame);
    signal.removeEventListener('abort', end);
    ending.abort();
    flush();
  }
}

function isForGood({ code }: CallError): boolean {
  return code === 'UNAUTHORIZED' || code === 'NOT_FOUND' || code === 'FORBIDDEN';
}

/** Ends early when there is reason to hope. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const woken = new AbortController();
  const wake = () => resolve();
  const timer = setTimeout(wake, ms);
  for (const [target, name] of [
    [window, 'online'],
    [document, 'visibilitychange'],
    [signal, 'abort'],
  ] as const)
    target.addEventListener(name, wake, { signal: woken.signal });
  return promise.finally(() => {
    clearTimeout(timer);
    woken.abort();
  });
}
