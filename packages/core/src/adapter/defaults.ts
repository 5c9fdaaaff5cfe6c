import type { AgentAdapter } from '../contract/adapter.ts';
import type { AgentConfigSchema, AuthState } from '../contract/auth-and-config.ts';
import { AgentMuxError } from '../contract/errors.ts';
import type { EventBody, TimeoutKind } from '../contract/events.ts';
import type { Session } from '../contract/sessions.ts';
import type { AuthCheck } from './auth-checks.ts';

export { readConfigFiles, writeConfigFiles } from '../native-config/config-files.ts';

/**
 * Defaults for `BaseAgentAdapter` and `defineAdapter`. Modules that read files or start programs are loaded on demand:
 * a process that only runs an agent never needs them.
 */

/** For an agent without a configuration schema. */
export const UNKNOWN_CONFIG = { fields: [], configFilePaths: [], projectConfigFilePaths: [] } as const;

export async function detectLogin(
  checks: readonly AuthCheck[],
  schema: AgentConfigSchema,
  env: NodeJS.ProcessEnv,
): Promise<AuthState> {
  try {
    const { checkAuth } = await import('./auth-checks.ts');
    const { readConfigEnv, withConfigEnv } = await import('../native-config/config-env.ts');
    const state = await checkAuth(checks, env);
    return withConfigEnv(state, await readConfigEnv(schema, { env }), env);
  } catch {
    return { status: 'unknown' };
  }
}

type Storing = Pick<AgentAdapter, 'agent' | 'displayName' | 'sessionStore'>;

export function sessionRoot({ agent, displayName, sessionStore }: Storing): string {
  if (sessionStore) return sessionStore.root(process.env);
  throw new AgentMuxError('CONFIG_ERROR', `the session folder of ${displayName} is unknown`, { agent });
}

/**
 * Sessions of `sessionStore`, or every file below `sessionDir`. With a `cwd`: only those of that folder, if the
 * sessions record it. An adapter with this very function has no override.
 */
export async function listStoredSessions(
  this: Storing & Pick<AgentAdapter, 'sessionDir'>,
  cwd?: string,
): Promise<string[]> {
  if (this.sessionStore) {
    const { listSessionPaths } = await import('../session-stores/store.ts');
    return listSessionPaths(this.sessionStore, cwd);
  }
  try {
    const { readdir } = await import('node:fs/promises');
    const { join } = await import('node:path');
    const entries = await readdir(this.sessionDir(cwd), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch {
    return [];
  }
}

/** An adapter with this very function has no override. */
export async function readStoredSession(this: Storing, filePath: string): Promise<Session> {
  if (this.sessionStore) return this.sessionStore.read({ path: filePath, stamp: '' });
  throw new AgentMuxError(
    'PARSE_ERROR',
    `reading stored sessions of ${this.displayName} is not supported: ${filePath}`,
    {
      agent: this.agent,
    },
  );
}

export function spawnErrorEvent(name: string, error: Error): EventBody {
  const message = `${name} could not be started: ${error.message}`;
  return { type: 'crash', exitCode: -1, signal: null, stderr: '', message };
}

export function timeoutEvent(name: string, kind?: TimeoutKind): EventBody {
  const message = `${name} ${kind === 'run' ? 'took too long' : 'was silent for too long'}`;
  return { type: 'error', code: 'TIMEOUT', message, recoverable: false };
}

/** The engine adds the tail of stderr. */
export function exitEvents(name: string, exitCode: number | null, signal: string | null): EventBody[] {
  if (exitCode === 0 && signal === null) return [];
  const how = signal === null ? `exited with code ${exitCode}` : `was ended by ${signal}`;
  return [{ type: 'crash', exitCode, signal, stderr: '', message: `${name} ${how}` }];
}

/** The value of a line of JSON, or null. */
export function parseJsonLine(line: string): unknown {
  // The first character rules out most lines that are not JSON, without the cost of an exception.
  if (!/^\s*[[{"\d\-tfn]/.test(line)) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
