/** So long after the last event nobody minds a pause of some milliseconds. */
const REST_MS = 3000;

/**
 * A keeper waits for most of its life. What a turn has left in its memory is given back then, which by itself the engine of
 * JavaScript would do when it needs more. Returns what is called with every sign of life.
 */
export function restAfterWork(): () => void {
  let hasWorked = false;
  const timer = setTimeout(() => {
    if (hasWorked) globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    hasWorked = false;
  }, REST_MS).unref();
  return () => {
    hasWorked = true;
    timer.refresh();
  };
}
