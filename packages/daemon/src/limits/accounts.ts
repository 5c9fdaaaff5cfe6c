import { createHash } from 'node:crypto';
import type { AgentAdapter } from '@agent-mux/core';

/** Suffixes of variables that say where an agent stores its login. */
const LOGIN_VARIABLES = /(?:_HOME|_DIR|_CONFIG|_PROFILE)$/;
/** Variables that all programs use. */
const HOMES = ['HOME', 'USERPROFILE', 'XDG_CONFIG_HOME'];

/**
 * Identifies an agent with a login without reading the login: by where the agent looks for its files, and by the names
 * of the key variables that are set. Two keys under one name count as one account. Paths are hashed, since they contain
 * user names.
 */
export function accountOf(
  { agent, envAllowList = [], getAuthGuidance }: Pick<AgentAdapter, 'agent' | 'envAllowList' | 'getAuthGuidance'>,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const set = Object.keys(env).filter((name) => env[name] !== undefined && env[name] !== '');
  const isAllowed = (name: string) =>
    envAllowList.some((allowed) => (allowed.endsWith('*') ? name.startsWith(allowed.slice(0, -1)) : name === allowed));
  const paths = set.filter((name) => HOMES.includes(name) || (LOGIN_VARIABLES.test(name) && isAllowed(name)));
  const keys = getAuthGuidance().methods.flatMap(({ envVars = [] }) => envVars);
  const parts = [
    paths.sort().map((name) => [name, env[name]]),
    [...new Set(keys)].filter((name) => set.includes(name)).sort(),
  ];
  return `${agent}/${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 8)}`;
}
