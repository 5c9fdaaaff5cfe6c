import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { listStoredSessions, readStoredSession } from '../adapter/defaults.ts';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { AdapterRegistry } from '../contract/run.ts';
import type { SessionProblem } from '../contract/session-queries.ts';
import type { SessionRef, SessionStore } from '../contract/sessions.ts';
import { messageOf } from '../values.ts';

/** A location with sessions, and the agents that own it. */
export interface SessionSource {
  /** The agent under whose name its sessions are listed. */
  agent: string;
  /** Every agent that stores its sessions there. */
  agents: string[];
  /** The folder or file; `sessions of acme` if the adapter lists its files without a location. */
  root: string;
  store: SessionStore;
  /**
   * Agents that read the same location in their own format and take precedence: what they can read is listed under
   * them.
   */
  precededBy: readonly string[];
}

export interface SessionSources {
  sources: SessionSource[];
  /** Adapters whose sessions cannot be found. */
  problems: SessionProblem[];
}

/**
 * Each store once, however many agents share it: the built-in agent owns it, and among equals the first by name. Two
 * stores at one location are both read: each may know files that the other does not.
 */
export function findSessionSources(adapters: AdapterRegistry, env: NodeJS.ProcessEnv): SessionSources {
  const sources: SessionSource[] = [];
  const problems: SessionProblem[] = [];
  const builtInFirst = adapters.list().sort((a, b) => Number(a.source === 'plugin') - Number(b.source === 'plugin'));
  for (const { agent } of builtInFirst) {
    const adapter = adapters.get(agent);
    const store = adapter.sessionStore ?? createStore(adapter);
    if (!store) continue;
    try {
      const root = locateStore(adapter, store, env);
      const there = sources.filter((source) => source.root === root);
      for (const source of there) source.agents.push(agent);
      if (there.some((source) => source.store === store)) continue;
      sources.push({ agent, agents: [agent], root, store, precededBy: there.map((source) => source.agent) });
    } catch (error) {
      const reason = messageOf(error);
      problems.push({ agent, path: '', problem: `cannot look for its sessions: ${reason}` });
    }
  }
  return { sources, problems };
}

/** An adapter that lists its files itself need not have a folder. Throws if no location is known. */
function locateStore(adapter: AgentAdapter, store: SessionStore, env: NodeJS.ProcessEnv): string {
  try {
    return resolve(store.root(env));
  } catch (error) {
    const listsThemItself = adapter.listSessionFiles !== listStoredSessions;
    if (adapter.sessionStore || !listsThemItself) throw error;
    return `sessions of ${adapter.agent}`;
  }
}

/** For an adapter that reads its files itself. The inherited method reads none. */
function createStore(adapter: AgentAdapter): SessionStore | undefined {
  if (adapter.parseSessionFile === readStoredSession) return undefined;
  return {
    root: () => adapter.sessionDir(),
    async find() {
      const refs = (await adapter.listSessionFiles()).map(async (path): Promise<SessionRef | undefined> => {
        const file = await stat(path).catch(() => undefined);
        return file && { path, stamp: `${file.size}:${file.mtimeMs}` };
      });
      return (await Promise.all(refs)).filter((ref) => ref !== undefined);
    },
    read: ({ path }) => adapter.parseSessionFile(path),
  };
}
