import type { DaemonClient, Request, Session } from '@agent-mux/api';

/** Maximum page size. */
const PAGE = 500;

/** All sessions, over all pages. */
export function allSessions(
  { sessions }: DaemonClient,
  query: { agent?: string; cwd?: string; terminated?: boolean } = {},
): Promise<Session[]> {
  return readPages(async (cursor) => {
    const page = await sessions.list({ ...query, cursor, limit: PAGE });
    return { rows: page.sessions, cursor: page.nextCursor };
  });
}

/** Open requests of one session or of all. */
export function openRequests({ requests }: DaemonClient, sessionId?: string): Promise<Request[]> {
  return readPages(async (cursor) => {
    const page = await requests.list({ state: 'open', sessionId, cursor, limit: PAGE });
    return { rows: page.requests, cursor: page.nextCursor };
  });
}

async function readPages<Row>(
  read: (cursor: string | undefined) => Promise<{ rows: Row[]; cursor: string | null }>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    rows.push(...page.rows);
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}
