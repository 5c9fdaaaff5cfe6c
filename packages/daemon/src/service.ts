import type {
  AccountQuota,
  ActivityReport,
  Answer,
  LimitOverview,
  Message,
  NewMessage,
  NewSession,
  RemovedSession,
  Request,
  Session,
  SessionPatch,
  WorktreeOutcome,
} from '@agent-mux/api';
import type { TerminalOptions } from './terminals/open-terminal.ts';
import type { WorktreeAction } from './workspaces/worktree-actions.ts';

/** The caller, as shown in the audit log and with every answer. */
export type Actor = string;

/**
 * The operations of the daemon. Every server (today HTTP) calls only this interface; plain reads go to the store.
 * Rejects with DaemonError.
 */
export interface SessionService {
  create(options: NewSession, actor: Actor): Promise<Session>;
  /** Throws the validation errors of `create` without creating anything. */
  check(options: NewSession): Promise<void>;
  change(id: string, patch: SessionPatch, actor: Actor): Promise<Session>;
  /** Ends the session first if it runs. Saves the work of its worktree to a ref and a folder before removing it. */
  remove(id: string, actor: Actor): Promise<RemovedSession>;
  send(id: string, message: NewMessage, actor: Actor): Promise<Message>;
  /** Cancels a queued message; dismisses one that failed or whose delivery is unknown. */
  cancelMessage(id: string, messageId: string, actor: Actor): Promise<Message>;
  interrupt(id: string, actor: Actor): Promise<Session>;
  /** Ends the process. The session stays `exited` until it is restored. */
  stop(id: string, actor: Actor): Promise<Session>;
  /** Ends the process after the current turn. The next message restarts it. */
  park(id: string, actor: Actor): Promise<Session>;
  /** Reopens an ended session by its agent session id. */
  restore(id: string, options: { env?: Record<string, string> }, actor: Actor): Promise<Session>;
  fork(
    id: string,
    options: { prompt?: string; messageId?: string; title?: string; withChanges?: boolean },
    actor: Actor,
  ): Promise<Session>;
  /** Imports a session from the agent's own store. */
  importSession(
    options: { agent: string; agentSessionId: string; cwd?: string; options?: Record<string, unknown> },
    actor: Actor,
  ): Promise<Session>;
  answer(requestId: string, answer: Answer, actor: Actor): Promise<Request>;
  /** Re-evaluates open requests after a rule was added, and answers those it decides. */
  evaluateOpen(): void;
  postpone(requestId: string, until: number, actor: Actor): Promise<Request>;
  reportActivity(id: string, report: ActivityReport, actor: Actor): Promise<Session>;
  /** Opens the agent's own terminal UI for a session without a process. */
  openTerminal(id: string, options: TerminalOptions, actor: Actor): Promise<Session>;
  /** Reports that the program in the terminal exited. */
  terminalEnded(id: string): Promise<void>;
  /** Commits, merges or discards the work in the session's worktree. */
  finishWork(id: string, options: WorktreeAction, actor: Actor): Promise<WorktreeOutcome>;

  /** Cancels automatic continuation after the limit that paused the session. */
  cancelLimit(id: string, actor: Actor): Promise<Session>;
  /** Continues the session now, regardless of the limit. */
  continueLimit(id: string, actor: Actor): Promise<Session>;
  /** Limited sessions, paused accounts and remaining budgets. */
  limits(): Promise<LimitOverview>;
  /** Known limits of each account. */
  quota(): Promise<AccountQuota[]>;

  /** Resolves when the session has an event after this seq, when it is removed, or when the signal aborts. */
  waitForEvents(id: string, after: number, signal: AbortSignal): Promise<void>;
  /** Resolves when any row changes after this revision, or when the signal aborts. */
  waitForChanges(after: number, signal: AbortSignal): Promise<void>;
}
