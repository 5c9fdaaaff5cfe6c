import type { SessionEvent } from '@agent-mux/api/browser';
import type { ErrorItem } from './items.ts';

type ErrorText = Pick<ErrorItem, 'tone' | 'title' | 'message' | 'hint' | 'detail'>;

/** Describes an error event and what to do about it; null for other events. */
export function describeError(event: SessionEvent): ErrorText | null {
  const plain = { tone: 'error', hint: null, detail: null } as const;
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
        hint: event.guidance ?? `run "amux auth guide ${event.agent}" to see how to log in`,
      };
    case 'rate_limit_error':
      return {
        ...plain,
        tone: 'warning',
        title: 'limit reached',
        message: event.message,
        hint: event.retrying ? 'the agent is retrying' : 'send the message again after the limit resets',
      };
    case 'context_exceeded':
      return {
        ...plain,
        title: 'context is full',
        message: event.message,
        hint: 'start a new session, or fork an earlier one',
      };
    case 'crash':
      return {
        ...plain,
        title: 'the agent crashed',
        message: event.message,
        hint: 'the next message restarts the session',
        detail: event.stderr.trim() || null,
      };
    case 'timeout':
      return {
        ...plain,
        title: 'timed out',
        message: event.message,
        hint: 'the next message restarts the session',
      };
    case 'keeper_lost':
      return {
        ...plain,
        title: 'the process was lost',
        message: event.message,
        hint:
          event.unknownMessages.length > 0
            ? 'the last message may not have arrived: check, and send it again if needed'
            : 'the next message restarts the session',
      };
    default:
      return null;
  }
}

/** A short note between the items of a conversation; null for other events. */
export function noteOf(event: SessionEvent): string | null {
  switch (event.type) {
    case 'session_resume':
      return 'Session resumed';
    case 'session_fork':
      return 'Forked from another session';
    case 'context_compacted':
      return 'Context compacted';
    case 'retry':
      return `Retry (${event.attempt}${event.maxAttempts === undefined ? '' : ` of ${event.maxAttempts}`}): ${event.reason}`;
    case 'aborted':
      return event.reason ? `Stopped: ${event.reason}` : 'Stopped';
    case 'skill_invoked':
      return `Using skill ${event.name}`;
    default:
      return null;
  }
}
