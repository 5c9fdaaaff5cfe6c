export { ApiError, isProblem } from './client/api-error.ts';
export {
  type AttachOptions,
  type ConnectionOptions,
  connectTo,
  type RemoteClient,
} from './client/connect.ts';
export {
  type AgentCalls,
  type ChangeCalls,
  createDaemonClient,
  type DaemonClient,
  type FileCalls,
  type HistoryCalls,
  type HistoryPage,
  type NotificationCalls,
  type PolicyCalls,
  type RequestCalls,
  type RequestQuery,
  type ScheduleCalls,
  type SettingsCalls,
  type UsageQuery,
} from './client/daemon-client.ts';
export { type Address, type Call, createHttp, type Http, type Locate } from './client/http.ts';
export { createInputWriter, type InputWriter } from './client/input-writer.ts';
export type * from './client/responses.ts';
export type { RemoteRunHandle } from './client/run/handle.ts';
export type { FollowOptions, SessionCalls, SessionListQuery } from './client/session-calls.ts';
export type { Sequenced, StreamOptions } from './client/sse.ts';
export type { TerminalCalls } from './client/terminal-calls.ts';
export type { DaemonEventBody, RunResultEvent, SessionEvent, SessionEventType } from './events.ts';
export type { ErrorInfo, Problem } from './schemas/common.ts';
export type { Budget, OnLimit, SessionLimit, WaitingFor } from './schemas/limit.ts';
export type { Message, NewMessage } from './schemas/message.ts';
export type { Notification, NotificationList, NotifyTarget } from './schemas/notification.ts';
export type { NewRule, Remember } from './schemas/policy.ts';
export type { Answer, Request } from './schemas/request.ts';
export type {
  NewSchedule,
  Schedule,
  ScheduleDetail,
  ScheduledSession,
  SchedulePatch,
  ScheduleRun,
} from './schemas/schedule.ts';
export type {
  Activity,
  ActivityReport,
  NewSession,
  Session,
  SessionPatch,
  SessionQuery,
  Workspace,
} from './schemas/session.ts';
export type { TerminalMessage, TerminalScreen } from './schemas/terminal.ts';
export type { RemovedSession, WorktreeOutcome } from './schemas/worktree.ts';
