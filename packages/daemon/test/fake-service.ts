import type { Request, Session } from '@agent-mux/api';
import { DaemonError } from '../src/daemon-error.ts';
import type { SessionService } from '../src/service.ts';
import type { StoredSession } from '../src/store/store.ts';
import { createSession } from '../src/store/suite/fixtures.ts';
import type { FakeStore } from './fake-store.ts';

/** A minimal service: it changes rows as requested and never starts an agent. */
export function createFakeService(store: FakeStore): SessionService & { waiting(): number } {
  let created = 0;
  const waiters = new Set<() => void>();
  store.onChange = () => {
    for (const wake of [...waiters]) wake();
  };
  const waitUntil = (isReady: () => Promise<boolean>, signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const check = async () => {
        if (!signal.aborted && !(await isReady())) return;
        waiters.delete(wake);
        resolve();
      };
      const wake = () => void check();
      waiters.add(wake);
      signal.addEventListener('abort', wake, { once: true });
      wake();
    });
  const change = async (
    id: string,
    patch: Partial<Omit<StoredSession, 'id' | 'createdAt' | 'lastSeq'>>,
  ): Promise<Session> => {
    const session = await store.updateSession(id, patch);
    if (!session) throw new DaemonError('NOT_FOUND', `unknown session "${id}"`);
    return (await store.getSession(id)) ?? session;
  };
  const create = (patch: Partial<StoredSession>) => {
    created += 1;
    return store.insertSession({ ...newSession(`created${created}`), ...patch });
  };
  const resolveRequest = async (id: string, patch: Partial<Request>): Promise<Request> => {
    const known = await store.getRequest(id);
    if (known?.state !== 'open') throw new DaemonError('REQUEST_CLOSED', 'the request was already answered');
    return (await store.updateRequest(id, patch)) ?? known;
  };
  return {
    waiting: () => waiters.size,
    check: async () => {},
    async create({ id, agent, cwd, title }) {
      const known = id === undefined ? null : await store.getSession(id);
      const own = id === undefined ? {} : { id };
      return known ?? create({ ...own, agent, cwd, workspace: { kind: 'folder', path: cwd }, title: title ?? null });
    },
    change: (id, { title, pinned, dismissed }) =>
      change(id, {
        ...(title === undefined ? {} : { title }),
        ...(pinned === undefined ? {} : { pinned }),
        ...(dismissed === undefined ? {} : { dismissed }),
      }),
    async remove(id) {
      await store.deleteSession(id);
      return { id, branch: null, savedRef: null, savedPath: null };
    },
    async send(id, { id: messageId, text, files = [], mode = 'queue' }, actor) {
      const { message } = await store.insertMessage({
        id: messageId ?? `m${created++}`,
        sessionId: id,
        text,
        files,
        mode,
        state: 'queued',
        error: null,
        by: actor,
        createdAt: 1,
        acceptedAt: null,
        endedAt: null,
      });
      return message;
    },
    async cancelMessage(id, messageId) {
      const message = await store.updateMessage(id, messageId, { state: 'cancelled' });
      if (!message) throw new DaemonError('NOT_FOUND', `unknown message "${messageId}"`);
      return message;
    },
    interrupt: (id) => change(id, { activity: 'idle' }),
    stop: (id) => change(id, { activity: 'exited', isTerminated: true }),
    park: (id) => change(id, { parked: true }),
    restore: (id) => change(id, { isTerminated: false }),
    fork: (id) => create({ forkedFrom: id }),
    importSession: ({ agent, agentSessionId }) => create({ agent, agentSessionId }),
    answer: (id, answer, actor) =>
      resolveRequest(id, { state: 'answered', outcome: 'allowed', by: actor, answer: { ...answer }, resolvedAt: 2 }),
    evaluateOpen: () => {},
    postpone: (id, until) => resolveRequest(id, { snoozedUntil: until }),
    reportActivity: (id, { state }) => change(id, state === undefined ? {} : { activity: state }),
    openTerminal: (id) => change(id, { origin: 'terminal' }),
    terminalEnded: async () => {},
    finishWork: async () => ({ commit: null, into: null, savedRef: null }),
    cancelLimit: (id) => change(id, {}),
    continueLimit: (id) => change(id, {}),
    limits: async () => ({
      sessions: [],
      accounts: [],
      budgets: [],
      rules: { onLimit: 'pause', hours: null, maxPerDay: 1, continuedToday: 0, staggerMs: 0 },
    }),
    quota: async () => [],
    waitForEvents: (id, after, signal) =>
      waitUntil(async () => {
        const session = await store.getSession(id);
        return !session || session.lastSeq > after;
      }, signal),
    waitForChanges: (after, signal) => waitUntil(async () => (await store.revision()) > after, signal),
  };
}

export function newSession(id: string): StoredSession {
  const folder = { cwd: '/nowhere', workspace: { kind: 'folder', path: '/nowhere' } } as const;
  return createSession(id, { ...folder, launch: 0, activitySince: 1, createdAt: 1, updatedAt: 1, lastActiveAt: 1 });
}
