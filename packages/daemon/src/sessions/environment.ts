import type { Session } from '@agent-mux/api';
import { DaemonError } from '../daemon-error.ts';
import type { DaemonContext } from './daemon-context.ts';

/**
 * The environment of a launch. Values of the session's variables are needed again but never stored: they come from the
 * client, from the memory of this daemon, or from its environment.
 */
export function resolveEnvironment(
  ctx: Pick<DaemonContext, 'environments' | 'env'>,
  session: Pick<Session, 'id' | 'envNames'>,
): { env: Record<string, string>; hostEnv: Record<string, string> } {
  const hostEnv = { ...(ctx.environments.get(session.id)?.hostEnv ?? withoutUndefined(ctx.env)) };
  const known = environmentOf(ctx, session);
  const values = session.envNames.map((name) => [name, known[name]] as const);
  const missing = values.filter(([, value]) => value === undefined).map(([name]) => name);
  if (missing.length > 0)
    throw new DaemonError('MISSING_ENV', `the session needs ${missing.join(', ')}, whose values are not stored`, {
      hint: `run "amux restore ${session.id} ${missing.map((name) => `--env ${name}`).join(' ')}"`,
    });
  return { env: Object.fromEntries(values.map(([name, value]) => [name, value ?? ''])), hostEnv };
}

/** The full environment of the agent, as far as it is known now. */
export function environmentOf(
  ctx: Pick<DaemonContext, 'environments' | 'env'>,
  { id, envNames }: Pick<Session, 'id' | 'envNames'>,
): Record<string, string | undefined> {
  const known = ctx.environments.get(id);
  const hostEnv = known?.hostEnv ?? ctx.env;
  const ownEntries = envNames.map((name) => [name, known?.env[name] ?? hostEnv[name] ?? ctx.env[name]]);
  return { ...hostEnv, ...Object.fromEntries(ownEntries) };
}

export function rememberEnvironment(
  { environments }: Pick<DaemonContext, 'environments'>,
  id: string,
  options: { env?: Record<string, string> | undefined; hostEnv?: Record<string, string> | undefined },
): void {
  const known = environments.get(id);
  environments.set(id, { env: { ...known?.env, ...options.env }, hostEnv: options.hostEnv ?? known?.hostEnv });
}

function withoutUndefined(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
