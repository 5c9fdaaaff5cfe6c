import { type SessionStore, sessionFiles } from '@agent-mux/core';
import { parseSessionTree } from './session-tree.ts';

export interface FamilySessions {
  agent: string;
  /** As `expandPath` reads it. */
  root: string;
  belongings?(path: string): readonly string[];
}

/** A folder for each working directory, or one configured for all. Deeper files belong to subagents. */
export function familySessions({ agent, root, belongings }: FamilySessions): SessionStore {
  const storeIn = (env: NodeJS.ProcessEnv) =>
    sessionFiles({
      agent,
      root: env.PI_CODING_AGENT_SESSION_DIR || root,
      accepts: (path) => /^([^/]+\/)?\d{4}-\d\d-\d\dT[^/_]*_[^/]+\.jsonl$/.test(path),
      hasLines: () => true,
      parse: parseSessionTree,
      ...(belongings ? { belongings } : {}),
    });
  const { read, remove } = storeIn({});
  return {
    root: (env) => storeIn(env).root(env),
    find: (env) => storeIn(env).find(env),
    read,
    ...(remove ? { remove } : {}),
  };
}
