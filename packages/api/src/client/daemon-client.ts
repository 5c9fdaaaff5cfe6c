import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Notification, NotificationList } from '../schemas/notification.ts';
import type { NewRule } from '../schemas/policy.ts';
import type { Answer, Request } from '../schemas/request.ts';
import type { NewSchedule, Schedule, ScheduleDetail, SchedulePatch, ScheduleRun } from '../schemas/schedule.ts';
import type { DaemonSettingsView, SettingsPatch } from '../schemas/settings.ts';
import type { Http } from './http.ts';
import type {
  AccountQuota,
  AuditEntry,
  Browser,
  Change,
  ChangePage,
  Health,
  Inbox,
  JsonObject,
  LimitOverview,
  Policy,
  PolicyTestRequest,
  PolicyVerdict,
  Ready,
  StoredFile,
  TreeEntry,
  UsageRow,
  WorkspaceDiff,
} from './responses.ts';
import { createSessionCalls, type SessionCalls } from './session-calls.ts';
import { readStream, type StreamOptions } from './sse.ts';
import { type TerminalCalls, terminalCalls } from './terminal-calls.ts';

/** Every route of the daemon as a function. Rejections are ApiErrors. Ids may be unique prefixes. */
export interface DaemonClient {
  readonly sessions: SessionCalls;
  readonly requests: RequestCalls;
  readonly agents: AgentCalls;
  readonly history: HistoryCalls;
  readonly files: FileCalls;
  readonly changes: ChangeCalls;
  readonly terminals: TerminalCalls;
  readonly schedules: ScheduleCalls;
  readonly notifications: NotificationCalls;
  readonly policy: PolicyCalls;
  readonly settings: SettingsCalls;
  readonly browsers: { list(): Promise<Browser[]>; remove(id: string): Promise<void> };
  /** Everything that needs the user. */
  inbox(): Promise<Inbox>;
  /** Limited sessions, paused accounts and budgets. */
  limits(): Promise<LimitOverview>;
  /** Known limits per agent and login. */
  quota(): Promise<AccountQuota[]>;
  usage(query: UsageQuery): Promise<UsageRow[]>;
  audit(query?: { sessionId?: string; after?: number; limit?: number }): Promise<AuditEntry[]>;
  /** Entries of a folder in a session's workspace. */
  tree(session: string, path?: string): Promise<TreeEntry[]>;
  /** A file of a session's workspace. */
  workspaceFile(session: string, path: string): Promise<Readable>;
  /** Changes in a session's workspace since it was created. */
  diff(session: string): Promise<WorkspaceDiff>;
  /** A large value of which an event has only a preview. */
  blob(sha256: string): Promise<Readable>;
  health(): Promise<Health>;
  /** Throws NOT_READY until all sessions are loaded. */
  ready(): Promise<Ready>;
  /** A one-time login link for the dashboard. */
  loginLink(): Promise<string>;
  /** The link and the path of a page with it: for a program whose arguments other users can read. */
  loginPage(): Promise<{ url: string; page: string }>;
  /** Stops the daemon. Sessions keep running. */
  shutdown(): Promise<void>;
}

export interface ScheduleCalls {
  /** Next run first. */
  list(): Promise<Schedule[]>;
  create(schedule: NewSchedule): Promise<Schedule>;
  /** Includes its recent runs. */
  get(id: string): Promise<ScheduleDetail>;
  update(id: string, patch: SchedulePatch): Promise<Schedule>;
  remove(id: string): Promise<void>;
  /** Runs it now. */
  run(id: string): Promise<ScheduleRun>;
}

export interface NotificationCalls {
  /** Recent deliveries, newest first. */
  list(query?: { limit?: number }): Promise<NotificationList>;
  /** Sends a test notification to one target or all. */
  test(target?: string): Promise<Notification[]>;
}

/** Daemon settings. */
export interface SettingsCalls {
  get(): Promise<DaemonSettingsView>;
  /** Writes to the user's configuration file; takes effect at once. */
  update(patch: SettingsPatch): Promise<DaemonSettingsView>;
}

export interface RequestCalls {
  list(query?: RequestQuery): Promise<{ requests: Request[]; nextCursor: string | null }>;
  get(id: string): Promise<Request>;
  answer(id: string, answer: Answer): Promise<Request>;
  /** Hides the request until `until`, by default for an hour. */
  snooze(id: string, until?: number): Promise<Request>;
}

/** Rules and remembered answers. */
export interface PolicyCalls {
  /** Rules and remembered answers; `cwd`: includes those of its project. */
  get(cwd?: string): Promise<Policy>;
  /** Evaluates a request. */
  test(request: PolicyTestRequest): Promise<PolicyVerdict>;
  /** Adds a rule to the user's configuration file. */
  add(rule: NewRule): Promise<{ file: string; created: boolean }>;
  remove(name: string): Promise<void>;
  /** Forgets a remembered answer. */
  forget(id: string): Promise<void>;
}

export interface RequestQuery {
  state?: Request['state'];
  sessionId?: string;
  cursor?: string;
  limit?: number;
}

export interface AgentCalls {
  list(): Promise<JsonObject[]>;
  get(agent: string): Promise<JsonObject>;
  models(agent: string): Promise<JsonObject[]>;
  login(agent: string): Promise<JsonObject>;
}

export interface HistoryCalls {
  list(query?: { agent?: string; cwd?: string; text?: string; cursor?: string; limit?: number }): Promise<HistoryPage>;
  get(agent: string, agentSessionId: string): Promise<JsonObject>;
  /** Imports a session stored by an agent. */
  restore: SessionCalls['importStored'];
}

export interface HistoryPage {
  sessions: JsonObject[];
  nextCursor?: string | null;
}

export interface FileCalls {
  /** `content`: bytes, a stream, or the path of a file. */
  upload(name: string, content: Uint8Array | Readable | string, mimeType?: string): Promise<StoredFile>;
  download(id: string): Promise<Readable>;
}

export interface ChangeCalls {
  /** Rows changed after a revision. */
  list(after: number): Promise<ChangePage>;
  /** The same, followed by live changes. */
  follow(options?: Partial<StreamOptions>): AsyncGenerator<Change, void, undefined>;
}

export interface UsageQuery {
  by: 'day' | 'agent' | 'model' | 'project' | 'session';
  from?: string;
  to?: string;
  agent?: string;
  project?: string;
  sessionId?: string;
}

export function createDaemonClient(http: Http): DaemonClient {
  const sessions = createSessionCalls(http);
  return {
    sessions,
    requests: requestCalls(http),
    agents: agentCalls(http),
    history: {
      list: (query) => http.json({ path: '/history', query }),
      get: (agent, agentSessionId) => http.json({ path: `/history/${named(agent)}/${named(agentSessionId)}` }),
      restore: sessions.importStored,
    },
    files: fileCalls(http),
    changes: {
      list: (after) => http.json({ path: '/changes', query: { after } }),
      follow: (options) => followChanges(http, options),
    },
    terminals: terminalCalls(http),
    schedules: scheduleCalls(http),
    notifications: {
      list: (query) => http.json({ path: '/notifications', query }),
      test: async (target) => {
        const body = target === undefined ? {} : { target };
        const call = { method: 'POST', path: '/notifications/test', body, timeoutMs: 0 } as const;
        return (await http.json<{ notifications: Notification[] }>(call)).notifications;
      },
    },
    policy: policyCalls(http),
    settings: {
      get: () => http.json({ path: '/settings' }),
      update: (body) => http.json({ method: 'PATCH', path: '/settings', body }),
    },
    browsers: {
      list: async () => (await http.json<{ browsers: Browser[] }>({ path: '/browsers' })).browsers,
      remove: (id) => http.json({ method: 'DELETE', path: `/browsers/${named(id)}` }),
    },
    inbox: () => http.json({ path: '/inbox' }),
    limits: () => http.json({ path: '/limits' }),
    quota: async () => (await http.json<{ accounts: AccountQuota[] }>({ path: '/quota' })).accounts,
    usage: async (query) => (await http.json<{ rows: UsageRow[] }>({ path: '/usage', query: { ...query } })).rows,
    audit: async (query) => (await http.json<{ entries: AuditEntry[] }>({ path: '/audit', query })).entries,
    tree: async (session, path) =>
      (await http.json<{ entries: TreeEntry[] }>({ path: `/sessions/${named(session)}/tree`, query: { path } }))
        .entries,
    workspaceFile: (session, path) => download(http, `/sessions/${named(session)}/file`, { path }),
    diff: (session) => http.json({ path: `/sessions/${named(session)}/diff` }),
    blob: (sha256) => download(http, `/blobs/${named(sha256)}`),
    health: () => http.json({ path: '/health' }),
    ready: () => http.json({ path: '/ready' }),
    loginLink: async () => (await http.json<{ url: string }>({ method: 'POST', path: '/login-links' })).url,
    loginPage: () => http.json({ method: 'POST', path: '/login-links', body: { page: true } }),
    shutdown: () => http.json({ method: 'POST', path: '/shutdown' }),
  };
}

/** Encodes a name as a path segment. */
const named = encodeURIComponent;

function requestCalls(http: Http): RequestCalls {
  return {
    list: (query) => http.json({ path: '/requests', query: { ...query } }),
    get: (id) => http.json({ path: `/requests/${named(id)}` }),
    answer: (id, answer) => http.json({ method: 'POST', path: `/requests/${named(id)}/answer`, body: answer }),
    snooze: (id, until) => {
      const body = until === undefined ? {} : { until };
      return http.json({ method: 'POST', path: `/requests/${named(id)}/snooze`, body });
    },
  };
}

function scheduleCalls(http: Http): ScheduleCalls {
  return {
    list: async () => (await http.json<{ schedules: Schedule[] }>({ path: '/schedules' })).schedules,
    create: (schedule) => http.json({ method: 'POST', path: '/schedules', body: schedule }),
    get: (id) => http.json({ path: `/schedules/${named(id)}` }),
    update: (id, patch) => http.json({ method: 'PATCH', path: `/schedules/${named(id)}`, body: patch }),
    remove: (id) => http.json({ method: 'DELETE', path: `/schedules/${named(id)}` }),
    run: (id) => http.json({ method: 'POST', path: `/schedules/${named(id)}/run`, timeoutMs: 0 }),
  };
}

function policyCalls(http: Http): PolicyCalls {
  return {
    get: (cwd) => http.json({ path: '/policy', query: { cwd } }),
    test: (body) => http.json({ method: 'POST', path: '/policy/test', body }),
    add: (body) => http.json({ method: 'POST', path: '/policy/rules', body }),
    remove: (name) => http.json({ method: 'DELETE', path: `/policy/rules/${named(name)}` }),
    forget: (id) => http.json({ method: 'DELETE', path: `/policy/remembered/${named(id)}` }),
  };
}

function agentCalls(http: Http): AgentCalls {
  return {
    list: async () => (await http.json<{ agents: JsonObject[] }>({ path: '/agents' })).agents,
    get: (agent) => http.json({ path: `/agents/${named(agent)}` }),
    models: async (agent) =>
      (await http.json<{ models: JsonObject[] }>({ path: `/agents/${named(agent)}/models` })).models,
    login: (agent) => http.json({ path: `/agents/${named(agent)}/login` }),
  };
}

function fileCalls(http: Http): FileCalls {
  return {
    upload: (name, content, mimeType = 'application/octet-stream') => {
      const raw = { content: typeof content === 'string' ? createReadStream(content) : content, mimeType };
      return http.json({ method: 'POST', path: '/files', query: { name }, raw, timeoutMs: 0 });
    },
    download: (id) => download(http, `/files/${named(id)}`),
  };
}

function download(http: Http, path: string, query?: Record<string, string>): Promise<Readable> {
  return http.open({ path, query, accept: '*/*' });
}

async function* followChanges(http: Http, options: Partial<StreamOptions> = {}): AsyncGenerator<Change, void> {
  const stream = readStream<Change>(http, { path: '/changes' }, { after: 0, ...options });
  for await (const batch of stream) for (const { value } of batch) yield value;
}
