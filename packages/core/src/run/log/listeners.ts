import type { AgentEvent } from '../../contract/events.ts';

type Listener = (event: AgentEvent) => void;

/** Those who are called for every event. One that comes or goes meanwhile changes nothing for the event under way. */
export class Listeners {
  #all: readonly Listener[] = [];

  add(listener: Listener): () => void {
    // The same function may be added twice: each has an entry of its own.
    const entry: Listener = (event) => listener(event);
    this.#all = [...this.#all, entry];
    return () => {
      this.#all = this.#all.filter((other) => other !== entry);
    };
  }

  tell(event: AgentEvent): void {
    if (this.#all.length === 0) return;
    for (const listener of this.#all) {
      try {
        listener(event);
      } catch (error) {
        // It must not stop the run; its error belongs to the program that it is part of.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
