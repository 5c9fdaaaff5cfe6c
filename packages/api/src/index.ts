export type { LaunchResult, SessionEvent, SessionEventType, SessionNote } from './events.ts';
export type { Fault, Problem } from './schemas/common.ts';
export type { Message, NewMessage } from './schemas/message.ts';
export type { Answer, Request } from './schemas/request.ts';
export type {
  Activity,
  ActivityReport,
  NewSession,
  Session,
  SessionPatch,
  SessionQuery,
  Workspace,
} from './schemas/session.ts';
