import { join } from 'node:path';

/**
 * What a process of ours is started with. Little of what it makes lives long, and a small nursery for it costs no time that can
 * be measured (megabytes; by itself node takes 16 of them, of which nothing is given back).
 */
export const DAEMON_FLAGS: readonly string[] = ['--max-semi-space-size=2'];
/** There may be fifty of them, each idle most of the time: one thread, by which what little they have is swept sooner too, and memory that is given back (`keeper/rest.ts`). */
export const KEEPER_FLAGS: readonly string[] = [
  '--max-semi-space-size=1',
  '--single-threaded',
  '--heap-growing-percent=50',
  '--expose-gc',
];

/** In the user's own folder, beside that of the command: what lies in the shared temporary one may come from anybody. */
export function compileCache({ NODE_COMPILE_CACHE, XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv): Record<string, string> {
  const cache = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'));
  if (NODE_COMPILE_CACHE !== undefined || !cache) return {};
  return { NODE_COMPILE_CACHE: join(cache, 'agent-mux', 'compile') };
}
