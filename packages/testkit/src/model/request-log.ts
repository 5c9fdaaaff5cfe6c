import type { ModelRequest } from './request.ts';

export type RequestPredicate = (request: ModelRequest) => boolean;

interface Waiter {
  predicate: RequestPredicate;
  resolve(request: ModelRequest): void;
  reject(reason: Error): void;
  timer: NodeJS.Timeout;
}

/** Requests of clients, in order, and pending waits. */
export class RequestLog {
  readonly requests: ModelRequest[] = [];
  readonly #waiters = new Set<Waiter>();

  add(request: ModelRequest): void {
    this.requests.push(request);
    for (const waiter of this.#waiters) {
      if (waiter.predicate(request)) {
        this.#forget(waiter);
        waiter.resolve(request);
      }
    }
  }

  /** The first matching request, including earlier ones. */
  wait(predicate: RequestPredicate, timeoutMs: number): Promise<ModelRequest> {
    const known = this.requests.find(predicate);
    if (known) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#forget(waiter);
        reject(new Error(`no such request within ${timeoutMs} ms; ${this.requests.length} others came`));
      }, timeoutMs);
      const waiter: Waiter = { predicate, resolve, reject, timer };
      this.#waiters.add(waiter);
    });
  }

  close(): void {
    for (const waiter of this.#waiters) {
      this.#forget(waiter);
      waiter.reject(new Error('the model was closed while a request was waited for'));
    }
  }

  #forget(waiter: Waiter): void {
    clearTimeout(waiter.timer);
    this.#waiters.delete(waiter);
  }
}
