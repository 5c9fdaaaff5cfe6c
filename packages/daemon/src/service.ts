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
import type { TerminalWish } from './terminals/open-terminal.ts';
import type { WorktreeOrder } from './workspaces/worktree-orders.ts';

/** Who asks for something: shown in the audit log, and with every answer. */
export type Who = string;

/**
 * What can be asked of the daemon; every door (HTTP today) calls this and nothing behind it. Reads that need no decision go to
 * the store. Whatever is refused is a DaemonError.
 */
export interface SessionService {
  create(given: NewSession, who: Who): Promise<Session>;
  /** Throws what `create` would refuse before it makes anything. */
  check(given: NewSession): Promise<void>;
  change(id: string, patch: SessionPatch, who: Who): Promise<Session>;
  /** Ends it first, where it lives. A worktree is removed after the work in it is saved to a ref and a folder. */
  remove(id: string, who: Who): Promise<RemovedSession>;
  send(id: string, message: NewMessage, who: Who): Promise<Message>;
  /** While it is queued; one that has failed, or of unknown fate, is dismissed. */
  cancelMessage(id: string, messageId: string, who: Who): Promise<Message>;
  interrupt(id: string, who: Who): Promise<Session>;
  /** Ends its process; it stays as `exited` until it is restored. */
  stop(id: string, who: Who): Promise<Session>;
  /** Ends its process once its turn is over; the next message brings it back. */
  park(id: string, who: Who): Promise<Session>;
  /** Makes an ended session one that can be written to again, by its exact native id. */
  restore(id: string, given: { env?: Record<string, string> }, who: Who): Promise<Session>;
  fork(
    id: string,
    given: { prompt?: string; messageId?: string; title?: string; withChanges?: boolean },
    who: Who,
  ): Promise<Session>;
  /** A session that an agent has stored by itself becomes one of ours. */
  takeOver(
    given: { agent: string; nativeId: string; cwd?: string; options?: Record<string, unknown> },
    who: Who,
  ): Promise<Session>;
  answer(requestId: string, answer: Answer, who: Who): Promise<Request>;
  /** A rule is new: what is open, and is decided by it, is answered. */
  judgeOpen(): void;
  postpone(requestId: string, until: number, who: Who): Promise<Request>;
  reportActivity(id: string, report: ActivityReport, who: Who): Promise<Session>;
  /** The agent's own screen, for a session without a process. */
  openTerminal(id: string, wish: TerminalWish, who: Who): Promise<Session>;
  /** Its program has ended. */
  terminalEnded(id: string): Promise<void>;
  /** Of a session in a worktree of its own: its work is committed, merged, or put aside. */
  finishWork(id: string, given: WorktreeOrder, who: Who): Promise<WorktreeOutcome>;

  /** It does not go on by itself after the limit that has stopped it. */
  cancelLimit(id: string, who: Who): Promise<Session>;
  /** It goes on now, whatever is known of the limit. */
  continueLimit(id: string, who: Who): Promise<Session>;
  /** Who waits for a limit, what is paused, and what is left of budgets. */
  limits(): Promise<LimitOverview>;
  /** What is known of the limits of each account. */
  quota(): Promise<AccountQuota[]>;

  /** Resolves when the session has an event after this seq, when it was removed, or when the signal says so. */
  waitForEvents(id: string, after: number, signal: AbortSignal): Promise<void>;
  /** Resolves when any row has changed after this revision. */
  waitForChanges(after: number, signal: AbortSignal): Promise<void>;
}
