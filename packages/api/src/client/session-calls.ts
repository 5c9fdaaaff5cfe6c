import type { SessionEvent } from '../events.ts';
import type { Message, NewMessage } from '../schemas/message.ts';
import type { ActivityReport, NewSession, Session, SessionPatch } from '../schemas/session.ts';
import type { RemovedSession, WorktreeOutcome } from '../schemas/worktree.ts';
import type { EventPage } from './answers.ts';
import type { Http } from './http.ts';
import { type Numbered, readStream, type StreamEnd, type StreamOptions } from './sse.ts';

export interface SessionCalls {
  list(query?: SessionListQuery): Promise<{ sessions: Session[]; cursor: string | null }>;
  get(id: string): Promise<Session>;
  create(given: NewSession): Promise<Session>;
  change(id: string, patch: SessionPatch): Promise<Session>;
  /** Ends it first, where it lives. */
  remove(id: string): Promise<RemovedSession>;
  /** The next turn, or with `mode: 'steer'` into the running one. The same id again changes nothing. */
  send(id: string, message: NewMessage): Promise<Message>;
  messages(id: string): Promise<Message[]>;
  /** Takes a message back that is still queued. */
  cancel(id: string, messageId: string): Promise<Message>;
  /** Stops the turn, keeps the session. */
  interrupt(id: string): Promise<Session>;
  /** Ends its process; `restore` makes it one that can be written to again. */
  stop(id: string): Promise<Session>;
  /** Ends its process once the turn is over; the next message brings it back. */
  park(id: string): Promise<Session>;
  /** It does not go on by itself after the limit that has stopped it. */
  cancelLimit(id: string): Promise<Session>;
  /** It goes on now, whatever is known of the limit. */
  continueLimit(id: string): Promise<Session>;
  restore(id: string, given?: { env?: Record<string, string> }): Promise<Session>;
  /** `withChanges`: the uncommitted work of its worktree is in the new one too. */
  fork(
    id: string,
    given?: { prompt?: string; messageId?: string; title?: string; withChanges?: boolean },
  ): Promise<Session>;
  /** A session that an agent has stored by itself becomes one of the daemon's. */
  takeOver(
    agent: string,
    nativeId: string,
    given?: { cwd?: string; options?: Record<string, unknown> },
  ): Promise<Session>;
  reportActivity(id: string, report: ActivityReport): Promise<Session>;
  /** Of a session in a worktree of its own: its work is committed, merged into where it began, or put aside on a ref. */
  finishWork(
    id: string,
    order: 'commit' | 'merge' | 'discard',
    /** `commit`: with `merge`, commits uncommitted work in the same step. */
    given?: { message?: string; commit?: boolean },
  ): Promise<WorktreeOutcome>;
  /** A page of its events after a seq; -1: from the first. */
  events(id: string, query?: { after?: number; limit?: number }): Promise<EventPage>;
  /** Its events after a seq, and on, live. With `until: 'end'` up to the end of the launch that runs. */
  follow(id: string, options?: FollowOptions): AsyncGenerator<SessionEvent, void, undefined>;
  /** The same in batches: what has come at once. */
  followBatches(id: string, options?: FollowOptions): AsyncGenerator<Numbered<SessionEvent>[], void, undefined>;
}

export interface FollowOptions extends Partial<StreamOptions> {
  until?: 'end';
}

export interface SessionListQuery {
  /** One or more, with commas between. */
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
    create: (given) => post('/sessions', given),
    change: (id, patch) => http.json({ method: 'PATCH', path: at(id), body: patch }),
    remove: (id) => http.json({ method: 'DELETE', path: at(id) }),
    send: (id, message) => post(at(id, '/messages'), message),
    messages: async (id) => (await http.json<{ messages: Message[] }>({ path: at(id, '/messages') })).messages,
    cancel: (id, messageId) =>
      http.json({ method: 'DELETE', path: at(id, `/messages/${encodeURIComponent(messageId)}`) }),
    interrupt: (id) => post(at(id, '/interrupt')),
    stop: (id) => post(at(id, '/stop')),
    park: (id) => post(at(id, '/park')),
    cancelLimit: (id) => post(at(id, '/limit/cancel')),
    continueLimit: (id) => post(at(id, '/limit/continue')),
    restore: (id, given = {}) => post(at(id, '/restore'), given),
    fork: (id, given = {}) => post(at(id, '/fork'), given),
    takeOver: (agent, nativeId, given = {}) =>
      post(`/history/${encodeURIComponent(agent)}/${encodeURIComponent(nativeId)}/restore`, given),
    reportActivity: (id, report) => post(at(id, '/activity'), report),
    finishWork: (id, order, given = {}) => post(at(id, `/worktree/${order}`), given),
    events: (id, query) => http.json({ path: at(id, '/events'), query: { ...query } }),
    followBatches,
    async *follow(id, options) {
      for await (const batch of followBatches(id, options)) for (const { value } of batch) yield value;
    },
  };
}

/** A daemon that goes ends its streams as well: only after a launch's last line, or where there was none to come, is it over. */
function isLaunchOver({ last }: StreamEnd<SessionEvent>): boolean {
  return last === undefined || last.type === 'run_result' || last.type === 'keeper_lost';
}
