import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { listStoredSessions, readStoredSession } from '../adapter/defaults.ts';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { AdapterRegistry } from '../contract/run.ts';
import type { SessionProblem } from '../contract/session-queries.ts';
import type { SessionRef, SessionStore } from '../contract/sessions.ts';
import { messageOf } from '../values.ts';

/** A place where sessions are, and whose they are. */
export interface SessionSource {
  /** Under whose name its sessions are listed. */
  agent: string;
  /** Every agent that keeps its sessions there. */
  agents: string[];
  /** The folder or file; `sessions of acme` where the adapter lists its files without saying where they are. */
  root: string;
  store: SessionStore;
  /** Agents that read the same place in their own way, and come first: what one of them can read is listed under its name. */
  behind: readonly string[];
}

export interface SessionSources {
  sources: SessionSource[];
  /** Of adapters whose sessions cannot be looked for. */
  problems: SessionProblem[];
}

/**
 * Each store once, however many agents share it: the built-in agent owns it, and among equals the first by name. Two stores
 * of one place are both read: each may know files that the other does not.
 */
export function findSessionSources(adapters: AdapterRegistry, env: NodeJS.ProcessEnv): SessionSources {
  const sources: SessionSource[] = [];
  const problems: SessionProblem[] = [];
  const builtInFirst = adapters.list().sort((a, b) => Number(a.source === 'plugin') - Number(b.source === 'plugin'));
  for (const { agent } of builtInFirst) {
    const adapter = adapters.get(agent);
    const store = adapter.sessionStore ?? makeStore(adapter);
    if (!store) continue;
    try {
      const root = locateStore(adapter, store, env);
      const there = sources.filter((source) => source.root === root);
      for (const source of there) source.agents.push(agent);
      if (there.some((source) => source.store === store)) continue;
      sources.push({ agent, agents: [agent], root, store, behind: there.map((source) => source.agent) });
    } catch (error) {
      const reason = messageOf(error);
      problems.push({ agent, path: '', problem: `its sessions cannot be looked for: ${reason}` });
    }
  }
  return { sources, problems };
}

/** An adapter that lists its files itself need not have a folder. Throws where nobody says where they are. */
function locateStore(adapter: AgentAdapter, store: SessionStore, env: NodeJS.ProcessEnv): string {
  try {
    return resolve(store.root(env));
  } catch (error) {
    const listsThemItself = adapter.listSessionFiles !== listStoredSessions;
    if (adapter.sessionStore || !listsThemItself) throw error;
    return `sessions of ${adapter.agent}`;
  }
}

/** Of an adapter that reads its files itself. The one that it inherits can read none. */
function makeStore(adapter: AgentAdapter): SessionStore | undefined {
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
