import type { Message, Request, Session } from '@agent-mux/api';
import type {
  AuditEntry,
  Change,
  Page,
  Store,
  StoredMessage,
  StoredRequest,
  StoredSession,
} from '../src/store/store.ts';

/** An in-memory store for tests of code on top of a store. It enforces only what readers can see. */
export interface FakeStore extends Store {
  /** Adds events as a keeper's delivery would; returns the last seq. */
  addEvents(sessionId: string, events: readonly Record<string, unknown>[]): Promise<number>;
  putRequest(request: StoredRequest): Promise<Request>;
  /** Called after every change. */
  onChange: () => void;
}

export function createFakeStore(): FakeStore {
  const sessions = new Map<string, Session>();
  const events = new Map<string, string[]>();
  const messages = new Map<string, Message>();
  const requests = new Map<string, Request>();
  const records = new Map<string, { kind: string; key: string; value: unknown; updatedAt: number }>();
  const gone: Change[] = [];
  const audit: (AuditEntry & { id: number })[] = [];
  let rev = 0;

  const count = (session: Session): Session => ({
    ...session,
    lastSeq: (events.get(session.id)?.length ?? 0) - 1,
    openRequests: [...requests.values()].filter((row) => row.sessionId === session.id && row.state === 'open').length,
    queuedMessages: [...messages.values()].filter((row) => row.sessionId === session.id && row.state === 'queued')
      .length,
  });
  const changed = () => {
    rev += 1;
    queueMicrotask(() => store.onChange());
    return rev;
  };
  const put = <Row extends { rev: number }>(map: Map<string, Row>, key: string, row: Row): Row => {
    map.set(key, { ...row, rev: changed() });
    return map.get(key)!;
  };
  const patch = <Row extends { rev: number }>(
    map: Map<string, Row>,
    key: string,
    change: NoInfer<Partial<Row>>,
  ): Row | null => {
    const row = map.get(key);
    return row ? put(map, key, { ...row, ...change }) : null;
  };
  const cut = <Row>(rows: Row[], cursor: string | undefined, limit: number): Page<Row> => {
    const start = Number.parseInt(cursor ?? '0', 10) || 0;
    return {
      rows: rows.slice(start, start + limit),
      nextCursor: rows.length > start + limit ? `${start + limit}` : null,
    };
  };

  const store: FakeStore = {
    onChange: () => {},
    insertSession: async (row: StoredSession) =>
      put(sessions, row.id, { ...row, rev: 0, openRequests: 0, queuedMessages: 0 }),
    getSession: async (id) => (sessions.has(id) ? count(sessions.get(id)!) : null),
    updateSession: async (id, { addMetadata = {}, ...change }) => {
      const metadata = { ...sessions.get(id)?.metadata, ...change.metadata, ...addMetadata };
      return patch(sessions, id, { ...change, metadata });
    },
    updateWithLimit: async (id, limitId, change) =>
      (sessions.get(id)?.limit?.id ?? null) === limitId ? patch(sessions, id, change) : null,
    async listSessions(query) {
      const rows = [...sessions.values()].map(count).filter((row) => {
        if (query.id !== undefined && !row.id.startsWith(query.id)) return false;
        if (query.nativeIdPrefix !== undefined && !row.agentSessionId?.startsWith(query.nativeIdPrefix)) return false;
        if (query.agent !== undefined && row.agent !== query.agent) return false;
        return query.activity === undefined || query.activity.split(',').includes(row.activity);
      });
      return cut(rows, query.cursor, query.limit);
    },
    listUnfinished: async () => [...sessions.values()].map(count).filter(({ isTerminated }) => !isTerminated),
    async deleteSession(id) {
      if (!sessions.delete(id)) return false;
      events.delete(id);
      gone.push({ kind: 'session', id, rev: changed(), value: null });
      return true;
    },
    commit: async () => {},
    async readEvents(id, after, limit, maxBytes = Number.MAX_SAFE_INTEGER) {
      const all = events.get(id) ?? [];
      const lines: string[] = [];
      let bytes = 0;
      for (let at = after + 1; at < all.length && lines.length < limit; at += 1) {
        bytes += all[at]!.length;
        if (lines.length > 0 && bytes > maxBytes) break;
        lines.push(all[at]!);
      }
      const lastSeq = after + lines.length;
      return { lines, lastSeq, hasMore: lastSeq < all.length - 1 };
    },
    sync: async () => {},
    async insertMessage(row: StoredMessage) {
      const key = `${row.sessionId}/${row.id}`;
      const known = messages.get(key);
      return known
        ? { message: known, isNew: false }
        : { message: put(messages, key, { ...row, rev: 0 }), isNew: true };
    },
    getMessage: async (sessionId, id) => messages.get(`${sessionId}/${id}`) ?? null,
    updateMessage: async (sessionId, id, change) => patch(messages, `${sessionId}/${id}`, change),
    listMessages: async (sessionId, states) =>
      [...messages.values()].filter((row) => row.sessionId === sessionId && (!states || states.includes(row.state))),
    getRequest: async (id) => requests.get(id) ?? null,
    async listRequests({ id, state, sessionId, cursor, limit }) {
      const rows = [...requests.values()].filter(
        (row) =>
          (id === undefined || row.id.startsWith(id)) &&
          (state === undefined || row.state === state) &&
          (sessionId === undefined || row.sessionId === sessionId),
      );
      return cut(rows, cursor, limit);
    },
    updateRequest: async (id, change) => patch(requests, id, change),
    async readChanges(after, limit) {
      const all: Change[] = [
        ...[...sessions.values()].map(
          (row): Change => ({ kind: 'session', id: row.id, rev: row.rev, value: count(row) }),
        ),
        ...[...requests.values()].map((row): Change => ({ kind: 'request', id: row.id, rev: row.rev, value: row })),
        ...[...messages.values()].map(
          (row): Change => ({ kind: 'message', id: row.id, sessionId: row.sessionId, rev: row.rev, value: row }),
        ),
        ...gone,
      ];
      const newer = all.filter((change) => change.rev > after).sort((a, b) => a.rev - b.rev);
      const changes = newer.slice(0, limit);
      return { changes, lastRev: changes.at(-1)?.rev ?? after, hasMore: newer.length > limit };
    },
    revision: async () => rev,
    readUsage: async ({ by }) => [
      {
        key: `some ${by}`,
        inputTokens: 1,
        outputTokens: 2,
        cacheReadTokens: 0,
        cacheCreationTokens: 0,
        costUsd: 0.5,
        estimatedUsd: 0,
        unpricedCalls: 0,
      },
    ],
    appendAudit: async (entry) => {
      audit.push({ ...entry, id: audit.length + 1 });
    },
    readAudit: async ({ sessionId, after, before = Number.POSITIVE_INFINITY, limit }) => {
      const fitting = audit.filter(
        ({ id, sessionId: own }) => id > (after ?? 0) && id < before && (!sessionId || own === sessionId),
      );
      return after === undefined ? fitting.slice(-limit) : fitting.slice(0, limit);
    },
    getRecord: async (kind, key) => records.get(`${kind}/${key}`)?.value,
    putRecord: async (kind, key, value, now) => {
      records.set(`${kind}/${key}`, { kind, key, value, updatedAt: now });
    },
    deleteRecord: async (kind, key) => records.delete(`${kind}/${key}`),
    listRecords: async (kind) => [...records.values()].filter((record) => record.kind === kind),
    dropRecords: async () => 0,
    recordDelivery: async () => false,
    retain: async () => ({ sessions: [] }),
    stats: async () => ({
      sessions: sessions.size,
      events: [...events.values()].reduce((sum, lines) => sum + lines.length, 0),
      bytes: 4096,
      schemaVersion: 2,
    }),
    close: async () => {},
    async addEvents(id, added) {
      const lines = events.get(id) ?? [];
      for (const event of added) lines.push(JSON.stringify({ timestamp: 1, ...event, seq: lines.length }));
      events.set(id, lines);
      patch(sessions, id, {});
      return lines.length - 1;
    },
    putRequest: async (row) => put(requests, row.id, { ...row, rev: 0 }),
  };
  return store;
}
