/** Idle time after which a pause of a few milliseconds does no harm. */
const IDLE_MS = 3000;

/**
 * Returns memory to the system while the keeper is idle, which is most of the time; V8 alone would collect only when it
 * needs more. Call the returned function on every activity.
 */
export function collectWhenIdle(): () => void {
  let wasActive = false;
  const timer = setTimeout(() => {
    if (wasActive) globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    wasActive = false;
  }, IDLE_MS).unref();
  return () => {
    wasActive = true;
    timer.refresh();
  };
}
