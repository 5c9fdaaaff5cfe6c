import { isAbsolute, relative } from 'node:path';
import type { Session } from '@agent-mux/api';
import type { StoredSessionSummary } from '@agent-mux/api/schemas';
import { z } from 'zod';
import type { Store } from '../store/store.ts';
import { worktreeOf } from './worktree.ts';

const KIND = 'worktree';
const PAGE = 500;
/** Maximum number of worktree folders searched per repository, newest first. */
const MAX_FOLDERS = 50;

const RecordSchema = z.object({
  repository: z.string(),
  agent: z.string(),
  agentSessionId: z.string().nullable(),
  title: z.string().nullable(),
});

/** A current or former worktree of a session. Agents store their conversations under its path. */
export interface KnownWorktree extends z.infer<typeof RecordSchema> {
  path: string;
}

/** Remembers the worktree of a removed session, whose conversation stays in the agent's history. */
export async function rememberWorktree(store: Pick<Store, 'putRecord'>, session: Session, now: number): Promise<void> {
  const worktree = worktreeOf(session);
  if (!worktree) return;
  const { agent, agentSessionId, title } = session;
  await store.putRecord(KIND, worktree.path, { repository: worktree.repository, agent, agentSessionId, title }, now);
}

export async function knownWorktrees(
  store: Pick<Store, 'listSessions' | 'listRecords'>,
): Promise<readonly KnownWorktree[]> {
  const known: KnownWorktree[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await store.listSessions({ limit: PAGE, ...(cursor ? { cursor } : {}) });
    for (const session of page.rows) {
      const { agent, agentSessionId, title } = session;
      const worktree = worktreeOf(session);
      if (worktree) known.push({ path: worktree.path, repository: worktree.repository, agent, agentSessionId, title });
    }
    cursor = page.nextCursor;
  }
  const removed = (await store.listRecords(KIND)).toSorted((a, b) => b.updatedAt - a.updatedAt);
  for (const { key, value } of removed) {
    const record = RecordSchema.safeParse(value);
    if (record.success) known.push({ path: key, ...record.data });
  }
  return known;
}

/** Another session that uses the worktree and would lose its folder. */
export async function findUserOf(
  store: Pick<Store, 'listSessions'>,
  { id, workspace }: Session,
): Promise<string | null> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await store.listSessions({ terminated: false, limit: PAGE, ...(cursor ? { cursor } : {}) });
    const other = page.rows.find((one) => one.id !== id && isIn(workspace.path, one.cwd));
    if (other) return other.id;
    cursor = page.nextCursor;
  }
  return null;
}

/** The worktrees of repositories in this folder. */
export function worktreesOf(known: readonly KnownWorktree[], folder: string): string[] {
  const paths = known.filter(({ path, repository }) => isIn(folder, repository) && !isIn(folder, path));
  return [...new Set(paths.map(({ path }) => path))].slice(0, MAX_FOLDERS);
}

/** Adds the repository, and the title of the session in agent-mux. */
export function withProject(summary: StoredSessionSummary, known: readonly KnownWorktree[]): StoredSessionSummary {
  const { cwd, agent, agentSessionId } = summary;
  const worktree = cwd === undefined ? undefined : known.find(({ path }) => isIn(path, cwd));
  if (!worktree) return summary;
  const own = known.find((one) => one.agent === agent && one.agentSessionId === agentSessionId);
  const title = own?.title ?? summary.title;
  return { ...summary, project: worktree.repository, ...(title === undefined ? {} : { title }) };
}

function isIn(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return below === '' || (!below.startsWith('..') && !isAbsolute(below));
}
