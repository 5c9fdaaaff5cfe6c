/** Delay before the first retry; it doubles with each further one. */
const FIRST_MS = 5000;
const MAX_MS = 5 * 60_000;

interface Retry {
  attempts: number;
  timer: NodeJS.Timeout | undefined;
  problem: string;
}

/** Retries for sessions whose keeper is alive but unreachable: at most one timer for each, with a growing delay. */
export class Retries {
  readonly #pending = new Map<string, Retry>();

  /** Whether a retry is scheduled; until then nothing else should try. */
  has(id: string): boolean {
    return this.#pending.get(id)?.timer !== undefined;
  }

  /** Schedules a retry unless there is one. Returns true if the problem has changed. */
  arm(id: string, problem: string, attempt: () => void): boolean {
    const retry = this.#pending.get(id) ?? { attempts: 0, timer: undefined, problem: '' };
    this.#pending.set(id, retry);
    const isNew = retry.problem !== problem;
    retry.problem = problem;
    if (retry.timer) return isNew;
    const due = () => {
      retry.timer = undefined;
      attempt();
    };
    retry.timer = setTimeout(due, Math.min(FIRST_MS * 2 ** retry.attempts, MAX_MS)).unref();
    retry.attempts += 1;
    return isNew;
  }

  /** Call when the keeper answers or has exited. */
  clear(id: string): void {
    clearTimeout(this.#pending.get(id)?.timer);
    this.#pending.delete(id);
  }

  close(): void {
    for (const id of [...this.#pending.keys()]) this.clear(id);
  }
}
