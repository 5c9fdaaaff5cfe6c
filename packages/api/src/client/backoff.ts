import { setTimeout as sleep } from 'node:timers/promises';
import { AgentMuxError } from '@agent-mux/core/light';
import { ApiError } from './api-error.ts';

const FIRST_MS = 50;
const LONGEST_MS = 3000;
/** A restarted daemon is back in seconds; after this time without a response, the caller gets the error. */
const TIMEOUT_MS = 60_000;

/** Delays before retries. */
interface Backoff {
  /** Waits, or throws the error if it is permanent or the time is up. */
  afterFailure(error: unknown): Promise<void>;
  succeeded(): void;
}

export function createBackoff({ patienceMs = TIMEOUT_MS, signal }: { patienceMs?: number; signal?: AbortSignal }) {
  let failures = 0;
  let since = 0;
  const backoff: Backoff = {
    async afterFailure(error) {
      if (signal?.aborted || !mayPass(error)) throw error;
      if (failures === 0) since = performance.now();
      const spent = performance.now() - since;
      if (spent > patienceMs) throw error;
      const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** failures) * (0.5 + Math.random() / 2);
      failures += 1;
      await sleep(Math.min(wait, patienceMs - spent + 1), undefined, { signal }).catch(() => {
        throw error;
      });
    },
    succeeded() {
      failures = 0;
    },
  };
  return backoff;
}

/** Whether a retry may succeed. */
function mayPass(error: unknown): boolean {
  return error instanceof AgentMuxError && error.retryable;
}

/**
 * Retries until it succeeds, is rejected, or the time is up. `isRepeatable` false: retries only if the daemon has certainly not
 * received it.
 */
export async function persist<Result>(
  work: () => Promise<Result>,
  options: { patienceMs?: number; signal?: AbortSignal; isRepeatable?: boolean },
): Promise<Result> {
  const backoff = createBackoff(options);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (options.isRepeatable === false && error instanceof ApiError && error.sent) throw error;
      await backoff.afterFailure(error);
    }
  }
}
