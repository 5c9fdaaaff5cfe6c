import type { StoredSessionSummary } from '@agent-mux/api/schemas';
import type { SessionHit, SessionProblem, SessionSummary } from '@agent-mux/core';
import type { Handlers } from '../call.ts';
import type { ApiParts } from '../parts.ts';

type Operations = 'listHistory' | 'readHistory' | 'takeOver';

export function historyHandlers({ client, service }: Pick<ApiParts, 'client' | 'service'>): Pick<Handlers, Operations> {
  return {
    async listHistory({ query }) {
      const { agent, cwd, text = '', cursor, limit } = query;
      const start = Number(cursor ?? 0);
      // The catalogue knows no cursors: what stands before the page is read again, which its index makes cheap.
      const filter = { ...(agent ? { agents: [agent] } : {}), ...(cwd ? { cwd } : {}), limit: start + limit + 1 };
      const { found, problems } = text.trim() === '' ? await list(client, filter) : await search(client, text, filter);
      const page = found.slice(start, start + limit);
      return {
        sessions: page,
        cursor: found.length > start + limit ? `${start + limit}` : null,
        problems: problems.map(tellProblem),
      };
    },
    async readHistory({ params }) {
      const session = await client.sessions.get(`${params.agent}:${params.nativeId}`);
      return {
        ...session,
        messages: session.messages.map(plain),
        ...(session.branches
          ? { branches: session.branches.map((branch) => ({ ...branch, messages: branch.messages.map(plain) })) }
          : {}),
      };
    },
    takeOver: ({ params, body, who }) => service.takeOver({ ...params, ...body }, who),
  };
}

type Found = { found: StoredSessionSummary[]; problems: readonly SessionProblem[] };
type Filter = { agents?: string[]; cwd?: string; limit: number };

async function list(client: ApiParts['client'], filter: Filter): Promise<Found> {
  const { sessions, problems } = await client.sessions.list(filter);
  return { found: sessions.map(summarize), problems };
}

async function search(client: ApiParts['client'], words: string, filter: Filter): Promise<Found> {
  const { hits, problems } = await client.sessions.search(words, filter);
  return { found: hits.map(({ session, snippet }: SessionHit) => ({ ...summarize(session), snippet })), problems };
}

/** Where it lies on the disk is the agent's business. */
function summarize({ path: _, key: __, faults: ___, ...rest }: SessionSummary): StoredSessionSummary {
  return rest;
}

function tellProblem({ agent, path, problem }: SessionProblem) {
  return { ...(agent === undefined ? {} : { agent }), path, problem };
}

type HistoryMessage = Awaited<ReturnType<ApiParts['client']['sessions']['get']>>['messages'][number];

function plain({ parts, ...message }: HistoryMessage) {
  return { ...message, ...(parts ? { parts: parts.map((part) => ({ ...part })) } : {}) };
}
