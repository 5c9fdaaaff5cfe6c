import type { Session } from '@agent-mux/api';
import { DaemonError } from '../daemon-error.ts';
import type { Desk } from './desk.ts';

/**
 * The variables of a launch. Those that the session was given are needed again, and their values are stored nowhere: they come
 * from whoever asks, from this daemon's memory, or from its own environment.
 */
export function resolveEnvironment(
  desk: Pick<Desk, 'environments' | 'env'>,
  session: Pick<Session, 'id' | 'envNames'>,
): { env: Record<string, string>; hostEnv: Record<string, string> } {
  const hostEnv = { ...(desk.environments.get(session.id)?.hostEnv ?? withoutUndefined(desk.env)) };
  const known = environmentOf(desk, session);
  const values = session.envNames.map((name) => [name, known[name]] as const);
  const missing = values.filter(([, value]) => value === undefined).map(([name]) => name);
  if (missing.length > 0)
    throw new DaemonError(
      'ENV_MISSING',
      `the session was started with ${missing.join(', ')}, and nobody knows the value now`,
      {
        hint: `amux restore ${session.id} ${missing.map((name) => `--env ${name}`).join(' ')}`,
      },
    );
  return { env: Object.fromEntries(values.map(([name, value]) => [name, value ?? ''])), hostEnv };
}

/** All that its agent could see, as far as it is known now. */
export function environmentOf(
  desk: Pick<Desk, 'environments' | 'env'>,
  { id, envNames }: Pick<Session, 'id' | 'envNames'>,
): Record<string, string | undefined> {
  const known = desk.environments.get(id);
  const hostEnv = known?.hostEnv ?? desk.env;
  const own = envNames.map((name) => [name, known?.env[name] ?? hostEnv[name] ?? desk.env[name]]);
  return { ...hostEnv, ...Object.fromEntries(own) };
}

export function rememberEnvironment(
  { environments }: Pick<Desk, 'environments'>,
  id: string,
  given: { env?: Record<string, string> | undefined; hostEnv?: Record<string, string> | undefined },
): void {
  const known = environments.get(id);
  environments.set(id, { env: { ...known?.env, ...given.env }, hostEnv: given.hostEnv ?? known?.hostEnv });
}

function withoutUndefined(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
