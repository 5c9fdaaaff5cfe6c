import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 25;

/** The first value that is not undefined or false; throws with this message after the timeout. */
export async function waitFor<T>(
  what: string,
  limitMs: number,
  look: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const until = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > until) throw new Error(`${what}: not within ${limitMs} ms`);
    await sleep(LOOK_EVERY_MS);
  }
}
