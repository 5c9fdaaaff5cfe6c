import type { Address, Locate } from '@agent-mux/api';
import { AgentMuxError } from '@agent-mux/core/light';
import { resolveDaemonPaths } from '../paths.ts';
import { type EnsureOptions, ensureDaemon } from './ensure.ts';
import { peekDaemon, probeDaemon } from './find.ts';

export interface LocateOptions extends EnsureOptions {
  /** Whether to start the daemon if none is running. */
  start: boolean;
}

/**
 * Finds the daemon for a client, also after a lost connection. A daemon that was stopped (its record is gone) is not
 * restarted; a crashed one is.
 */
export function daemonLocator(env: NodeJS.ProcessEnv, { start, ...options }: LocateOptions): Locate {
  const paths = resolveDaemonPaths(env);
  return async (again): Promise<Address> => {
    const peeked = again ? null : await peekDaemon(paths);
    if (peeked) return peeked;
    const state = await probeDaemon(paths);
    if (state.is === 'there') return state.daemon;
    if (start && (!again || (state.is === 'absent' && state.hasCrashed))) return ensureDaemon(env, options);
    const what = state.is === 'silent' ? `does not answer: ${state.why}` : 'is not running';
    throw unreachable(`the daemon ${what}`);
  };
}

function unreachable(message: string): AgentMuxError {
  return new AgentMuxError('NETWORK_ERROR', message, { hint: 'run "amux up" to start it', retryable: true });
}
