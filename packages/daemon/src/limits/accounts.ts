import { createHash } from 'node:crypto';
import type { AgentAdapter } from '@agent-mux/core';

/** Variables that say where an agent keeps its login, by the ends of their names. */
const PLACES = /(?:_HOME|_DIR|_CONFIG|_PROFILE)$/;
/** Where any program looks. */
const HOMES = ['HOME', 'USERPROFILE', 'XDG_CONFIG_HOME'];

/**
 * An agent with a login, as far as that can be told without reading one: where it would look for its files, and the names of the
 * variables with keys that it has. Two keys under one name are taken for one account. The paths are hashed, since they name people.
 */
export function accountOf(
  { agent, envAllowList = [], getAuthGuidance }: Pick<AgentAdapter, 'agent' | 'envAllowList' | 'getAuthGuidance'>,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const set = Object.keys(env).filter((name) => env[name] !== undefined && env[name] !== '');
  const isItsOwn = (name: string) =>
    envAllowList.some((allowed) => (allowed.endsWith('*') ? name.startsWith(allowed.slice(0, -1)) : name === allowed));
  const places = set.filter((name) => HOMES.includes(name) || (PLACES.test(name) && isItsOwn(name)));
  const keys = getAuthGuidance().methods.flatMap(({ envVars = [] }) => envVars);
  const parts = [
    places.sort().map((name) => [name, env[name]]),
    [...new Set(keys)].filter((name) => set.includes(name)).sort(),
  ];
  return `${agent}/${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 8)}`;
}
