/** The delay before the first retry; it doubles with each further one. */
const FIRST_MS = 5000;
const MAX_MS = 5 * 60_000;

interface Retry {
  attempts: number;
  timer: NodeJS.Timeout | undefined;
  problem: string;
}

/** Sessions whose keeper lives and cannot be reached: at most one timer for each, with a growing delay. */
export class Retries {
  readonly #pending = new Map<string, Retry>();

  /** An attempt is due: until then nothing else should try. */
  has(id: string): boolean {
    return this.#pending.get(id)?.timer !== undefined;
  }

  /** Arms the session's timer, unless it is armed. Returns true if the problem is another one than before. */
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

  /** Its keeper answers, or is gone. */
  clear(id: string): void {
    clearTimeout(this.#pending.get(id)?.timer);
    this.#pending.delete(id);
  }

  close(): void {
    for (const id of [...this.#pending.keys()]) this.clear(id);
  }
}
