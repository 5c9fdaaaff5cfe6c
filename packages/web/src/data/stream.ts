import { createSseParser, type OperationId } from '@agent-mux/api/browser';
import { CallError, request } from './call.ts';

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 5_000;
/** The daemon sends at least a ping every 15 seconds; after this much silence the connection counts as dead. */
const SILENCE_MS = 45_000;
/** Events that arrive within one frame are delivered as one batch. */
const FRAME_MS = 16;

export interface StreamOptions<Value> {
  op: OperationId;
  params?: Readonly<Record<string, string>>;
  after: number;
  /** Replaces `after`: for a stream that restarts on each connection. */
  query?: Readonly<Record<string, unknown>>;
  /** A batch of values and the number to resume after. Values are never delivered twice. */
  onBatch(values: Value[], last: number): void;
  onState?(state: 'open' | 'broken' | 'refused', error?: CallError): void;
  signal: AbortSignal;
}

/**
 * Follows a stream until the signal aborts. A broken stream is reopened after the last received number, immediately
 * when the network is back or the tab becomes visible. A permanent refusal (signed out, not found) ends it.
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
      if (error instanceof CallError && isPermanent(error)) {
        onState?.('refused', error);
        return;
      }
      onState?.('broken', error instanceof CallError ? error : undefined);
    }
    await pause(Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** failures), signal);
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

function isPermanent({ code }: CallError): boolean {
  return code === 'UNAUTHORIZED' || code === 'NOT_FOUND' || code === 'FORBIDDEN';
}

/** Sleeps, but wakes early when the network is back or the tab changes visibility. */
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
