import { join } from 'node:path';

/**
 * What a process of ours is started with. Little of what it makes lives long, and a small nursery for it costs no time that can
 * be measured (megabytes; by itself node takes 16 of them, of which nothing is given back).
 */
export const DAEMON_FLAGS: readonly string[] = ['--max-semi-space-size=2'];
/** There may be fifty of them; what little they have is swept sooner by one thread than by several that wait for each other. */
export const KEEPER_FLAGS: readonly string[] = ['--max-semi-space-size=1', '--single-threaded-gc'];

/** In the user's own folder, beside that of the command: what lies in the shared temporary one may come from anybody. */
export function compileCache({ NODE_COMPILE_CACHE, XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv): Record<string, string> {
  const cache = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'));
  if (NODE_COMPILE_CACHE !== undefined || !cache) return {};
  return { NODE_COMPILE_CACHE: join(cache, 'agent-mux', 'compile') };
}
