/** The demo agent's sessions, one file each. Uses only Node's own modules: the agent's process loads this too. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const SESSION_SCHEMA = 'agent-mux-demo-session/1';

export interface DemoMessage {
  role: 'user' | 'assistant' | 'tool';
  text: string;
  timestamp: number;
  toolCallId?: string;
  toolName?: string;
}

export interface DemoSession {
  schema: typeof SESSION_SCHEMA;
  id: string;
  parentId?: string;
  cwd: string;
  model: string;
  createdAt: number;
  updatedAt: number;
  messages: DemoMessage[];
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
}

function demoSessionDir(env: NodeJS.ProcessEnv = process.env): string {
  const state = env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state');
  return join(state, 'agent-mux', 'demo');
}

const NOTHING_SPENT = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

export function newSession(cwd: string, model: string, now: number): DemoSession {
  const times = { createdAt: now, updatedAt: now };
  return { schema: SESSION_SCHEMA, id: randomUUID(), cwd, model, ...times, messages: [], ...NOTHING_SPENT };
}

/** The cost of the other session is counted there. */
export function forkSession(from: DemoSession, now: number): DemoSession {
  const times = { createdAt: now, updatedAt: now };
  return { ...structuredClone(from), ...NOTHING_SPENT, id: randomUUID(), parentId: from.id, ...times };
}

function readSession(path: string): DemoSession | undefined {
  try {
    return parseDemoSession(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

export function parseDemoSession(text: string): DemoSession | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isDemoSession(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An id is also a file name, and comes from outside. */
function sessionPath(id: string, dir = demoSessionDir()): string | undefined {
  return /^[A-Za-z0-9-]{1,64}$/.test(id) ? join(dir, `${id}.json`) : undefined;
}

export function findSession(id: string): DemoSession | undefined {
  const path = sessionPath(id);
  return path === undefined ? undefined : readSession(path);
}

/** Atomic: another process may be reading it. */
export function saveSession(session: DemoSession): void {
  const path = sessionPath(session.id);
  if (path === undefined) return;
  mkdirSync(demoSessionDir(), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, `${JSON.stringify(session, null, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, path);
}

function isDemoSession(value: unknown): value is DemoSession {
  return typeof value === 'object' && value !== null && 'schema' in value && value.schema === SESSION_SCHEMA;
}
