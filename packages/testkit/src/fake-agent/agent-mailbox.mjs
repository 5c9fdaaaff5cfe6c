// Messages of the live protocol, kept until they are needed.
// @ts-check

/** @typedef {Record<string, unknown>} Message */

export function openMailbox() {
  /** @type {Message[]} */
  const kept = [];
  /** @type {Set<() => void>} */
  const waiting = new Set();
  let ended = false;
  const wake = () => {
    for (const retry of [...waiting]) retry();
  };
  return {
    /** @param {Message} message */
    put(message) {
      kept.push(message);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    /** Null when stdin has ended or the turn is interrupted. @param {(message: Message) => boolean} wanted @param {AbortSignal} signal @returns {Promise<Message | null>} */
    take(wanted, signal) {
      return new Promise((done) => {
        const retry = () => {
          const at = signal.aborted ? -1 : kept.findIndex(wanted);
          if (at === -1 && !ended && !signal.aborted) return;
          waiting.delete(retry);
          signal.removeEventListener('abort', retry);
          done(at === -1 ? null : (kept.splice(at, 1)[0] ?? null));
        };
        waiting.add(retry);
        signal.addEventListener('abort', retry);
        retry();
      });
    },
  };
}
