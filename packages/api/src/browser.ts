/** Exports for browsers: types and the stream parser. Loads no Node.js module and no schema. */

export type { OperationRequest, OperationResponse } from './calls.ts';
export { createInputWriter } from './client/input-writer.ts';
export type * from './client/responses.ts';
export { createSseParser, type StreamMessage } from './client/sse-parser.ts';
export type { SessionEvent, SessionEventType } from './events.ts';
export type { OperationId } from './routes.ts';
export type { Agent, AgentDetail, AgentLogin } from './schemas/agent.ts';
export type { ErrorInfo, Problem } from './schemas/common.ts';
export type { FolderList } from './schemas/file.ts';
export type { StoredSessionSummary } from './schemas/history.ts';
export type { AgentPlan, Job, VerifyResult } from './schemas/job.ts';
export type { Budget, BudgetRule } from './schemas/limit.ts';
export type { Message } from './schemas/message.ts';
export type { NotifyRule } from './schemas/notification.ts';
export type { NewRule } from './schemas/policy.ts';
export type { Answer, Request } from './schemas/request.ts';
export type { Schedule } from './schemas/schedule.ts';
export type { Activity, NewSession, Session, SessionPatch, Workspace } from './schemas/session.ts';
export type { DaemonSettingsView, NotifyTargetPatch, SettingsPatch } from './schemas/settings.ts';
export type { TerminalMessage } from './schemas/terminal.ts';
