import { DaemonError } from '../daemon-error.ts';
import type { Actor } from '../service.ts';

/** Reconnect delay of readers. */
const RETRY_MS = 2_000;
/** Minimum delay before reading again after a wake-up without news. */
const PAUSE_MS = 50;

export interface StreamPage {
  /** Text to send; empty if there is nothing at the moment. */
  text: string;
  /** Position to continue from. */
  last: number;
  /** The stream has ended. */
  isEnd: boolean;
  /** The page reached the newest event: wait before reading again. */
  isNewest?: boolean;
}

export interface StreamSource {
  after: number;
  read(after: number): Promise<StreamPage>;
  /** Resolves when there may be more, or the signal aborts. */
  wait(after: number, signal: AbortSignal): Promise<void>;
  /** Called when the reader has gone. */
  close?(): void;
}

export interface Streams {
  open(source: StreamSource, actor: Actor): Response;
  /** Ends all streams, or those of one actor. */
  end(actor?: Actor): void;
  count(): number;
}

/**
 * Event streams, pulled by their readers: the next page is read once the previous one is sent. A stalled reader holds
 * at most one page, loses no events, and does not slow others.
 */
export function createStreams(
  limits: { streams: number; heartbeatMs: number },
  log: (message: string, detail?: unknown) => void,
): Streams {
  const open = new Map<AbortController, Actor>();
  return {
    open(source, actor) {
      if (open.size >= limits.streams) {
        throw new DaemonError('TOO_MANY_REQUESTS', `the limit of ${limits.streams} open streams is reached`);
      }
      const life = new AbortController();
      open.set(life, actor);
      const release = () => {
        open.delete(life);
        life.abort();
        source.close?.();
      };
      const body = pullFrom(source, { signal: life.signal, heartbeatMs: limits.heartbeatMs, release, log });
      return new Response(body, {
        headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
      });
    },
    end(actor) {
      for (const [life, owner] of [...open]) if (actor === undefined || owner === actor) life.abort();
    },
    count: () => open.size,
  };
}

interface PullOptions {
  signal: AbortSignal;
  heartbeatMs: number;
  release: () => void;
  log: (message: string, detail?: unknown) => void;
}

function pullFrom(
  source: StreamSource,
  { signal, heartbeatMs, release, log }: PullOptions,
): ReadableStream<Uint8Array> {
  let { after } = source;
  let isFirst = true;
  let isUpToDate = false;

  /** Null if the stream has ended. */
  async function next(): Promise<string | null> {
    let wokeImmediately = false;
    for (;;) {
      if (signal.aborted) return null;
      if (!isUpToDate) {
        const page = await source.read(after);
        const hasMoved = page.last !== after;
        after = page.last;
        isUpToDate = page.isNewest ?? false;
        if (page.text !== '') return page.text;
        if (page.isEnd) return null;
        if (hasMoved) continue;
        // Avoids a busy loop on needless wake-ups without delaying real news.
        if (wokeImmediately) await pause(signal);
      }
      isUpToDate = false;
      const startedAt = performance.now();
      if (!(await waitFor((inner) => source.wait(after, inner), signal, heartbeatMs))) return ': heartbeat\n\n';
      wokeImmediately = performance.now() - startedAt < 1;
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const head = isFirst ? `retry: ${RETRY_MS}\n\n` : '';
          if (isFirst) {
            isFirst = false;
            controller.enqueue(Buffer.from(head));
            return;
          }
          const text = await next();
          if (text !== null && !signal.aborted) {
            controller.enqueue(Buffer.from(text));
            return;
          }
        } catch (error) {
          log('a stream ended early', error);
        }
        release();
        controller.close();
      },
      cancel: release,
    },
    { highWaterMark: 0 },
  );
}

/** False on timeout. */
async function waitFor(
  wait: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
  ms: number,
): Promise<boolean> {
  const limit = new AbortController();
  const stop = () => limit.abort();
  signal.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(stop, ms);
  try {
    await wait(limit.signal);
    return !limit.signal.aborted || signal.aborted;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, PAUSE_MS);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
