import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { AgentAdapter } from '../contract/adapter.ts';
import { BaseAgentAdapter } from '../contract/base-adapter.ts';
import type { AdapterRegistry } from '../contract/run.ts';
import type { SessionRef, SessionStore } from '../contract/sessions.ts';

/** A place where sessions are, and whose they are. */
export interface SessionSource {
  /** Under whose name its sessions are listed. */
  agent: string;
  /** Every agent that keeps its sessions there. */
  agents: readonly string[];
  root: string;
  store: SessionStore;
}

/** Each store once, however many agents share it: the built-in agent owns it, and among equals the first by name. */
export function sessionSources(adapters: AdapterRegistry, env: NodeJS.ProcessEnv): SessionSource[] {
  const sources = new Map<string, SessionSource>();
  const builtInFirst = adapters.list().sort((a, b) => Number(a.source === 'plugin') - Number(b.source === 'plugin'));
  for (const { agent } of builtInFirst) {
    const adapter = adapters.get(agent);
    const store = adapter.sessionStore ?? ownStore(adapter);
    const root = store && rootOf(store, env);
    if (!store || root === undefined) continue;
    const known = sources.get(root);
    if (known) sources.set(root, { ...known, agents: [...known.agents, agent] });
    else sources.set(root, { agent, agents: [agent], root, store });
  }
  return [...sources.values()];
}

function rootOf(store: SessionStore, env: NodeJS.ProcessEnv): string | undefined {
  try {
    return resolve(store.root(env));
  } catch {
    return undefined;
  }
}

/** Of an adapter that reads its files itself. The one that it inherits can read none. */
function ownStore(adapter: AgentAdapter): SessionStore | undefined {
  if (adapter.parseSessionFile === BaseAgentAdapter.prototype.parseSessionFile) return undefined;
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
