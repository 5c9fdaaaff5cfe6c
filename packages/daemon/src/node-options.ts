import { join } from 'node:path';

/**
 * Node flags of the daemon. Most of its objects are short-lived, so a small nursery (in megabytes) costs no measurable
 * time. Node's default of 16 MB is never returned to the system.
 */
export const DAEMON_FLAGS: readonly string[] = ['--max-semi-space-size=2'];
/**
 * Node flags of keepers. There may be fifty of them, mostly idle: a single thread, earlier garbage collection, and `gc`
 * to return memory when idle (`keeper/idle-gc.ts`).
 */
export const KEEPER_FLAGS: readonly string[] = [
  '--max-semi-space-size=1',
  '--single-threaded',
  '--heap-growing-percent=50',
  '--expose-gc',
];

/** In the user's cache folder, as for the CLI. Files in the shared temporary folder could come from another user. */
export function compileCache({ NODE_COMPILE_CACHE, XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv): Record<string, string> {
  const cache = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'));
  if (NODE_COMPILE_CACHE !== undefined || !cache) return {};
  return { NODE_COMPILE_CACHE: join(cache, 'agent-mux', 'compile') };
}
