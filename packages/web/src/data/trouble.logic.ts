import type { SessionEvent } from '@agent-mux/api/browser';
import type { TroubleItem } from './items.ts';

type Trouble = Pick<TroubleItem, 'tone' | 'title' | 'message' | 'remedy' | 'detail'>;

/** What went wrong, and what to do; null where nothing did. */
export function describeTrouble(event: SessionEvent): Trouble | null {
  const plain = { tone: 'error', remedy: null, detail: null } as const;
  switch (event.type) {
    case 'error':
      return {
        ...plain,
        tone: event.recoverable ? 'warning' : 'error',
        title: event.code.toLowerCase().replaceAll('_', ' '),
        message: event.message,
      };
    case 'auth_error':
      return {
        ...plain,
        title: 'not logged in',
        message: event.message,
        remedy: event.guidance ?? `amux auth guide ${event.agent} says how to log in`,
      };
    case 'rate_limit_error':
      return {
        ...plain,
        tone: 'warning',
        title: 'limit reached',
        message: event.message,
        remedy: event.retrying ? 'the agent tries again by itself' : 'send the message again when the limit has passed',
      };
    case 'context_exceeded':
      return {
        ...plain,
        title: 'context is full',
        message: event.message,
        remedy: 'begin a new session, or fork an earlier one',
      };
    case 'crash':
      return {
        ...plain,
        title: 'the agent has crashed',
        message: event.message,
        remedy: 'the next message brings the session back',
        detail: event.stderr.trim() || null,
      };
    case 'timeout':
      return {
        ...plain,
        title: 'out of time',
        message: event.message,
        remedy: 'the next message brings the session back',
      };
    case 'keeper_lost':
      return {
        ...plain,
        title: 'the process is gone',
        message: event.message,
        remedy:
          event.unknownMessages.length > 0
            ? 'whether the last message arrived is not known: look, and send it again if it did not'
            : 'the next message brings the session back',
      };
    default:
      return null;
  }
}

/** A line between the items, for what a reader wants to know in passing. */
export function noteOf(event: SessionEvent): string | null {
  switch (event.type) {
    case 'session_resume':
      return 'The session goes on where it was';
    case 'session_fork':
      return 'A copy of another session begins here';
    case 'context_compacted':
      return 'The agent has summarised what came before';
    case 'retry':
      return `Tried again (${event.attempt}${event.maxAttempts === undefined ? '' : ` of ${event.maxAttempts}`}): ${event.reason}`;
    case 'aborted':
      return event.reason ? `Stopped: ${event.reason}` : 'Stopped';
    case 'skill_invoked':
      return `Uses the skill ${event.name}`;
    default:
      return null;
  }
}
