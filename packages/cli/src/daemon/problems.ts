import { EXIT } from '../exit-codes.ts';

/** Exit codes and hints for the daemon's error codes; other codes follow the error family. */
interface Meaning {
  exitCode?: number;
  /** Used if the daemon sends no hint. */
  hint?: string;
}

export const PROBLEMS: Readonly<Record<string, Meaning>> = {
  NOT_FOUND: { hint: 'run "amux ps --all" to list sessions, "amux inbox" to list requests' },
  AMBIGUOUS_ID: { exitCode: EXIT.usage, hint: 'use a longer prefix; "amux ps --all" shows full ids' },
  SESSION_ENDED: { hint: 'run "amux restore ID" to restore it' },
  SESSION_IN_TERMINAL: {
    exitCode: EXIT.failure,
    hint: 'when it has ended there, run "amux restore ID" to continue it here',
  },
  SESSION_RUNNING: { exitCode: EXIT.failure, hint: 'run "amux stop ID" first' },
  NO_ACTIVE_TURN: { hint: 'run "amux send ID ..." to start a turn' },
  TURN_RUNNING: {
    exitCode: EXIT.failure,
    hint: 'omit --no-queue to queue the message, or run "amux interrupt ID"',
  },
  REQUEST_CLOSED: { exitCode: EXIT.failure, hint: 'run "amux inbox" to list open requests' },
  MESSAGE_NOT_QUEUED: { exitCode: EXIT.failure },
  WORKSPACE_ERROR: { exitCode: EXIT.failure },
  PAYLOAD_TOO_LARGE: { exitCode: EXIT.failure },
  TOO_MANY_SESSIONS: {
    exitCode: EXIT.failure,
    hint: 'run "amux ps" to list sessions, then "amux park ID" or "amux stop ID" to free one',
  },
  TOO_MANY_REQUESTS: { exitCode: EXIT.failure },
  UNAUTHORIZED: {
    exitCode: EXIT.failure,
    hint: 'its token has changed since it was started: run "amux down", then retry',
  },
  FORBIDDEN: { exitCode: EXIT.failure },
  AGENT_NOT_INSTALLED: { hint: 'run "amux install AGENT" to install it' },
  UNKNOWN_AGENT: { hint: 'run "amux agents" to list agents' },
  CAPABILITY_ERROR: { hint: 'run "amux capabilities AGENT" to see what it supports' },
};

/** The daemon's error code, if the error came from it. */
export function problemOf(error: object): string | undefined {
  return 'problem' in error && typeof error.problem === 'string' ? error.problem : undefined;
}
