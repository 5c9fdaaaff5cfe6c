import type { SessionEvent } from '../events.ts';
import type { Message, NewMessage } from '../schemas/message.ts';
import type { ActivityReport, NewSession, Session, SessionPatch } from '../schemas/session.ts';
import type { RemovedSession, WorktreeOutcome } from '../schemas/worktree.ts';
import type { Http } from './http.ts';
import type { EventPage } from './responses.ts';
import { readStream, type Sequenced, type StreamEnd, type StreamOptions } from './sse.ts';

export interface SessionCalls {
  list(query?: SessionListQuery): Promise<{ sessions: Session[]; nextCursor: string | null }>;
  get(id: string): Promise<Session>;
  create(session: NewSession): Promise<Session>;
  update(id: string, patch: SessionPatch): Promise<Session>;
  /** Stops it first if it is running. */
  remove(id: string): Promise<RemovedSession>;
  /** Starts the next turn, or with `mode: 'steer'` goes into the running one. The same id again has no effect. */
  send(id: string, message: NewMessage): Promise<Message>;
  messages(id: string): Promise<Message[]>;
  /** Cancels a queued message. */
  cancelMessage(id: string, messageId: string): Promise<Message>;
  /** Interrupts the turn; the session stays. */
  interrupt(id: string): Promise<Session>;
  /** Stops its process; `restore` resumes it. */
  stop(id: string): Promise<Session>;
  /** Stops its process when the turn ends; the next message starts it again. */
  park(id: string): Promise<Session>;
  /** Cancels the automatic continuation after a limit. */
  cancelContinuation(id: string): Promise<Session>;
  /** Continues now, ignoring the limit. */
  continueNow(id: string): Promise<Session>;
  restore(id: string, options?: { env?: Record<string, string> }): Promise<Session>;
  /** `withChanges`: copies the uncommitted work of its worktree. */
  fork(
    id: string,
    options?: { prompt?: string; messageId?: string; title?: string; withChanges?: boolean },
  ): Promise<Session>;
  /** Imports a session stored by an agent. */
  importStored(
    agent: string,
    agentSessionId: string,
    options?: { cwd?: string; options?: Record<string, unknown> },
  ): Promise<Session>;
  reportActivity(id: string, report: ActivityReport): Promise<Session>;
  /** Commits, merges or discards the work in a session's worktree; discarded work is saved to a ref. */
  finishWorktree(
    id: string,
    action: 'commit' | 'merge' | 'discard',
    /** `commit`: with `merge`, commits uncommitted work in the same step. */
    options?: { message?: string; commit?: boolean },
  ): Promise<WorktreeOutcome>;
  /** A page of events after a seq; -1: from the first. */
  events(id: string, query?: { after?: number; limit?: number }): Promise<EventPage>;
  /** Events after a seq, then live ones. With `until: 'end'` until the current launch ends. */
  follow(id: string, options?: FollowOptions): AsyncGenerator<SessionEvent, void, undefined>;
  /** The same in batches of events that arrived together. */
  followBatches(id: string, options?: FollowOptions): AsyncGenerator<Sequenced<SessionEvent>[], void, undefined>;
}

export interface FollowOptions extends Partial<StreamOptions> {
  until?: 'end';
}

export interface SessionListQuery {
  /** One or more, separated by commas. */
  activity?: string;
  agent?: string;
  cwd?: string;
  text?: string;
  id?: string;
  pinned?: boolean;
  terminated?: boolean;
  cursor?: string;
  limit?: number;
}

export function createSessionCalls(http: Http): SessionCalls {
  const at = (id: string, rest = '') => `/sessions/${encodeURIComponent(id)}${rest}`;
  const post = <Row>(path: string, body?: unknown): Promise<Row> => http.json({ method: 'POST', path, body });

  const followBatches: SessionCalls['followBatches'] = (id, { until, after = -1, ...options } = {}) =>
    readStream(
      http,
      { path: at(id, '/events'), query: { until } },
      { after, ...options },
      until === 'end' ? isLaunchOver : undefined,
    );

  return {
    list: (query) => http.json({ path: '/sessions', query: { ...query } }),
    get: (id) => http.json({ path: at(id) }),
    create: (body) => post('/sessions', body),
    update: (id, patch) => http.json({ method: 'PATCH', path: at(id), body: patch }),
    remove: (id) => http.json({ method: 'DELETE', path: at(id) }),
    send: (id, message) => post(at(id, '/messages'), message),
    messages: async (id) => (await http.json<{ messages: Message[] }>({ path: at(id, '/messages') })).messages,
    cancelMessage: (id, messageId) =>
      http.json({ method: 'DELETE', path: at(id, `/messages/${encodeURIComponent(messageId)}`) }),
    interrupt: (id) => post(at(id, '/interrupt')),
    stop: (id) => post(at(id, '/stop')),
    park: (id) => post(at(id, '/park')),
    cancelContinuation: (id) => post(at(id, '/limit/cancel')),
    continueNow: (id) => post(at(id, '/limit/continue')),
    restore: (id, options = {}) => post(at(id, '/restore'), options),
    fork: (id, options = {}) => post(at(id, '/fork'), options),
    importStored: (agent, agentSessionId, options = {}) =>
      post(`/history/${encodeURIComponent(agent)}/${encodeURIComponent(agentSessionId)}/import`, options),
    reportActivity: (id, report) => post(at(id, '/activity'), report),
    finishWorktree: (id, action, options = {}) => post(at(id, `/worktree/${action}`), options),
    events: (id, query) => http.json({ path: at(id, '/events'), query: { ...query } }),
    followBatches,
    async *follow(id, options) {
      for await (const batch of followBatches(id, options)) for (const { value } of batch) yield value;
    },
  };
}

/** A stopping daemon ends its streams, too: the stream is over only after the last line of a launch, or if none was expected. */
function isLaunchOver({ last }: StreamEnd<SessionEvent>): boolean {
  return last === undefined || last.type === 'run_result' || last.type === 'keeper_lost';
}
