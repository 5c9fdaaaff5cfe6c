import type { AgentEvent, EventType } from '../../contract/events.ts';
import type { Listeners } from './listeners.ts';

type Listener = (event: never) => void;

interface Attached {
  type: EventType | '*';
  listener: Listener;
  stop(): void;
}

/** `on`, `once` and `off` of a handle, each of which returns the handle. */
export function attachListeners<Handle>(listeners: Pick<Listeners, 'add'>, handle: () => Handle) {
  const attached: Attached[] = [];

  function listen(type: EventType | '*', listener: Listener, once: boolean): Handle {
    const entry: Attached = { type, listener, stop: () => {} };
    entry.stop = listeners.add((event) => {
      if (type !== '*' && event.type !== type) return;
      if (once) detach(entry);
      (listener as (event: AgentEvent) => void)(event);
    });
    attached.push(entry);
    return handle();
  }

  function detach(entry: Attached | undefined): void {
    if (!entry) return;
    entry.stop();
    attached.splice(attached.indexOf(entry), 1);
  }

  return {
    on: (type: EventType | '*', listener: Listener) => listen(type, listener, false),
    once: (type: EventType, listener: Listener) => listen(type, listener, true),
    off: (type: EventType | '*', listener: Listener) => {
      detach(attached.find((entry) => entry.type === type && entry.listener === listener));
      return handle();
    },
  };
}
