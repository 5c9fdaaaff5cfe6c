import type { Address, Locate } from '@agent-mux/api';
import { AgentMuxError } from '@agent-mux/core/light';
import { findPlaces } from '../places.ts';
import { type EnsureOptions, ensureDaemon } from './ensure.ts';
import { glanceAtDaemon, lookForDaemon } from './find.ts';

export interface LocateOptions extends EnsureOptions {
  /** Whether it is started where there is none. */
  start: boolean;
}

/**
 * How a client finds the daemon, and finds it again. One that was told to go (its record is gone) is not started against
 * whoever told it; one that crashed is.
 */
export function daemonLocator(env: NodeJS.ProcessEnv, { start, ...options }: LocateOptions): Locate {
  const places = findPlaces(env);
  return async (again): Promise<Address> => {
    const glanced = again ? null : await glanceAtDaemon(places);
    if (glanced) return glanced;
    const state = await lookForDaemon(places);
    if (state.is === 'there') return state.daemon;
    if (start && (!again || (state.is === 'absent' && state.hasCrashed))) return ensureDaemon(env, options);
    const what = state.is === 'silent' ? `does not answer: ${state.why}` : 'is not running';
    throw unreachable(`the daemon ${what}`);
  };
}

function unreachable(message: string): AgentMuxError {
  return new AgentMuxError('NETWORK_ERROR', message, { hint: '"amux up" starts it', retryable: true });
}
