import type { AgentEvent } from '../../contract/events.ts';

type Listener = (event: AgentEvent) => void;

/** Listeners called for every event. Adding or removing one during an event does not affect that event. */
export class Listeners {
  #all: readonly Listener[] = [];

  add(listener: Listener): () => void {
    // The same function may be added twice: each has its own entry.
    const entry: Listener = (event) => listener(event);
    this.#all = [...this.#all, entry];
    return () => {
      this.#all = this.#all.filter((other) => other !== entry);
    };
  }

  emit(event: AgentEvent): void {
    if (this.#all.length === 0) return;
    for (const listener of this.#all) {
      try {
        listener(event);
      } catch (error) {
        // A listener must not stop the run; its error belongs to the caller's program.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
