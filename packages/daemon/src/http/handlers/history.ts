import type { StoredSessionSummary } from '@agent-mux/api/schemas';
import type { SessionHit, SessionProblem, SessionSummary } from '@agent-mux/core';
import { knownWorktrees, withProject, worktreesOf } from '../../workspaces/known-worktrees.ts';
import type { Handlers } from '../call.ts';
import type { ApiParts } from '../parts.ts';

type Operations = 'listHistory' | 'getHistory' | 'importSession';

export function historyHandlers({
  client,
  service,
  store,
}: Pick<ApiParts, 'client' | 'service' | 'store'>): Pick<Handlers, Operations> {
  return {
    async listHistory({ query }) {
      const { agent, cwd, text = '', cursor, limit } = query;
      const start = Number(cursor ?? 0);
      // Session lists have no cursors: earlier entries are read again, which the index makes cheap.
      const filter = { ...(agent ? { agents: [agent] } : {}), limit: start + limit + 1 };
      const trees = await knownWorktrees(store);
      const folders = cwd === undefined ? [undefined] : [cwd, ...worktreesOf(trees, cwd)];
      const parts: Found[] = [];
      for (const folder of folders) {
        const within = folder === undefined ? filter : { ...filter, cwd: folder };
        parts.push(text.trim() === '' ? await list(client, within) : await search(client, text, within));
      }
      const found = parts.flatMap((part) => part.found);
      if (folders.length > 1) found.sort((a, b) => (b.updatedAt ?? 0) - (a.updatedAt ?? 0));
      const problems = parts[0]?.problems ?? [];
      const page = found.slice(start, start + limit);
      return {
        sessions: page.map((session) => withProject(session, trees)),
        nextCursor: found.length > start + limit ? `${start + limit}` : null,
        problems: problems.map(toProblem),
      };
    },
    async getHistory({ params }) {
      const found = await client.sessions.get(`${params.agent}:${params.agentSessionId}`);
      const { sessionId: agentSessionId, ...session } = found;
      return {
        ...session,
        agentSessionId,
        messages: session.messages.map(plain),
        ...(session.branches
          ? { branches: session.branches.map((branch) => ({ ...branch, messages: branch.messages.map(plain) })) }
          : {}),
      };
    },
    importSession: ({ params, body, actor }) => service.importSession({ ...params, ...body }, actor),
  };
}

type Found = { found: StoredSessionSummary[]; problems: readonly SessionProblem[] };
type Filter = { agents?: string[]; cwd?: string; limit: number };

async function list(client: ApiParts['client'], filter: Filter): Promise<Found> {
  const { sessions, problems } = await client.sessions.list(filter);
  return { found: sessions.map(summarize), problems };
}

async function search(client: ApiParts['client'], text: string, filter: Filter): Promise<Found> {
  const { hits, problems } = await client.sessions.search(text, filter);
  return { found: hits.map(({ session, snippet }: SessionHit) => ({ ...summarize(session), snippet })), problems };
}

/** Omits the path on disk. */
function summarize({ path: _, key: __, warnings: ___, sessionId, ...rest }: SessionSummary): StoredSessionSummary {
  return { ...rest, agentSessionId: sessionId };
}

function toProblem({ agent, path, problem }: SessionProblem) {
  return { ...(agent === undefined ? {} : { agent }), path, problem };
}

type HistoryMessage = Awaited<ReturnType<ApiParts['client']['sessions']['get']>>['messages'][number];

function plain({ parts, ...message }: HistoryMessage) {
  return { ...message, ...(parts ? { parts: parts.map((part) => ({ ...part })) } : {}) };
}
