import { DaemonError } from '../daemon-error.ts';
import type { Who } from '../service.ts';

/** After a break a reader comes back so soon. */
const RETRY_MS = 2_000;
/** A reader that was woken for nothing is not woken again before this. */
const PAUSE_MS = 50;

export interface StreamPage {
  /** Ready to be sent; empty: there is nothing at the moment. */
  text: string;
  /** To go on from. */
  last: number;
  /** Nothing will follow. */
  isEnd: boolean;
  /** Nothing was behind it: what comes next is waited for before it is looked for. */
  isNewest?: boolean;
}

export interface StreamSource {
  after: number;
  read(after: number): Promise<StreamPage>;
  /** Resolves when there may be more, or the signal is aborted. */
  wait(after: number, signal: AbortSignal): Promise<void>;
  /** Nobody reads any more. */
  close?(): void;
}

export interface Streams {
  open(source: StreamSource, who: Who): Response;
  /** Ends all, or those of one. */
  end(who?: Who): void;
  count(): number;
}

/**
 * Event streams. Each is pulled by its reader: a page is read when the page before is on its way, so that one who stalls holds a
 * page and no more, misses nothing, and slows nobody.
 */
export function createStreams(
  limits: { streams: number; heartbeatMs: number },
  log: (message: string, detail?: unknown) => void,
): Streams {
  const open = new Map<AbortController, Who>();
  return {
    open(source, who) {
      if (open.size >= limits.streams) {
        throw new DaemonError('TOO_MANY_REQUESTS', `${limits.streams} streams are open, which is the limit`);
      }
      const life = new AbortController();
      open.set(life, who);
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
    end(who) {
      for (const [life, owner] of [...open]) if (who === undefined || owner === who) life.abort();
    },
    count: () => open.size,
  };
}

interface Pulling {
  signal: AbortSignal;
  heartbeatMs: number;
  release: () => void;
  log: (message: string, detail?: unknown) => void;
}

function pullFrom(source: StreamSource, { signal, heartbeatMs, release, log }: Pulling): ReadableStream<Uint8Array> {
  let { after } = source;
  let isFirst = true;
  let isUpToDate = false;

  /** Null: the stream has ended. */
  async function next(): Promise<string | null> {
    let wasWokenAtOnce = false;
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
        // Whoever wakes us without need does not make us run in circles; who has something for us does not wait.
        if (wasWokenAtOnce) await pause(signal);
      }
      isUpToDate = false;
      const startedAt = performance.now();
      if (!(await waitFor((inner) => source.wait(after, inner), signal, heartbeatMs))) return ': still here\n\n';
      wasWokenAtOnce = performance.now() - startedAt < 1;
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
          log('a stream has ended early', error);
        }
        release();
        controller.close();
      },
      cancel: release,
    },
    { highWaterMark: 0 },
  );
}

/** False: the time is over and nothing has happened. */
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
