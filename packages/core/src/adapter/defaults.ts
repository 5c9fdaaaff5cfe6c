import type { AgentAdapter } from '../contract/adapter.ts';
import { AgentMuxError } from '../contract/errors.ts';
import type { EventBody, TimeoutKind } from '../contract/events.ts';
import type { Session } from '../contract/sessions.ts';
import type { AgentConfigSchema, AuthState } from '../contract/surroundings.ts';
import type { AuthCheck } from './auth-checks.ts';

export { readConfigFiles, writeConfigFiles } from '../native-config/config-files.ts';

/**
 * What an adapter answers where it says nothing of its own, for `BaseAgentAdapter` and `defineAdapter` alike. Whatever reads
 * files or starts programs is loaded when it is asked: a process that only runs an agent never needs it.
 */

/** Of an agent whose configuration nobody has described. */
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
  throw new AgentMuxError('CONFIG_ERROR', `${displayName} does not say where it keeps its sessions`, { agent });
}

/**
 * Those of `sessionStore`, or every file below `sessionDir`. With a `cwd`: of that folder, where the sessions tell theirs.
 * An adapter that has this very function lists nothing of its own.
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

/** An adapter that has this very function reads nothing of its own. */
export async function readStoredSession(this: Storing, filePath: string): Promise<Session> {
  if (this.sessionStore) return this.sessionStore.read({ path: filePath, stamp: '' });
  throw new AgentMuxError('PARSE_ERROR', `Stored sessions of ${this.displayName} are not readable yet: ${filePath}`, {
    agent: this.agent,
  });
}

export function tellSpawnError(name: string, error: Error): EventBody {
  const message = `${name} could not be started: ${error.message}`;
  return { type: 'crash', exitCode: -1, signal: null, stderr: '', message };
}

export function tellTimeout(name: string, kind?: TimeoutKind): EventBody {
  const message = `${name} ${kind === 'run' ? 'took too long' : 'was silent for too long'}`;
  return { type: 'error', code: 'TIMEOUT', message, recoverable: false };
}

/** The engine adds the tail of stderr. */
export function tellExit(name: string, exitCode: number | null, signal: string | null): EventBody[] {
  if (exitCode === 0 && signal === null) return [];
  const how = signal === null ? `exited with code ${exitCode}` : `was ended by ${signal}`;
  return [{ type: 'crash', exitCode, signal, stderr: '', message: `${name} ${how}` }];
}

/** The value of a line of JSON, or null. */
export function parseJsonLine(line: string): unknown {
  // Most lines that are not JSON are told by their first character, without the cost of an exception.
  if (!/^\s*[[{"\d\-tfn]/.test(line)) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
