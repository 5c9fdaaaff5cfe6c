/** What runs in a browser too: types, and the parser of streams. No module of node, and no schema, is loaded by it. */

export type { AnswerOf, CallOf } from './calls.ts';
export type * from './client/answers.ts';
export { createSseParser, type StreamMessage } from './client/sse-parser.ts';
export { makeTyping } from './client/typing.ts';
export type { SessionEvent, SessionEventType } from './events.ts';
export type { OperationId } from './routes.ts';
export type { Agent, AgentDetail, AgentLogin } from './schemas/agent.ts';
export type { Fault, Problem } from './schemas/common.ts';
export type { FolderList } from './schemas/file.ts';
export type { StoredSessionSummary } from './schemas/history.ts';
export type { AgentPlan, Job, Proof } from './schemas/job.ts';
export type { Budget, BudgetRule } from './schemas/limit.ts';
export type { Message } from './schemas/message.ts';
export type { NotifyRule } from './schemas/notification.ts';
export type { NewRule } from './schemas/policy.ts';
export type { Answer, Request } from './schemas/request.ts';
export type { Schedule } from './schemas/schedule.ts';
export type { Activity, NewSession, Session, SessionPatch, Workspace } from './schemas/session.ts';
export type { DaemonSettingsView, NotifyTargetPatch, SettingsPatch } from './schemas/settings.ts';
export type { TerminalMessage } from './schemas/terminal.ts';
