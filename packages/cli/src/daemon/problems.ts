import { EXIT } from '../exit-codes.ts';

/** What the daemon's own words for a refusal mean to a command line; those of the error family count for the rest. */
interface Meaning {
  exitCode?: number;
  /** Where the daemon gives none. */
  hint?: string;
}

export const PROBLEMS: Readonly<Record<string, Meaning>> = {
  NOT_FOUND: { hint: 'amux ps --all lists the sessions, amux inbox what waits for an answer' },
  AMBIGUOUS_ID: { exitCode: EXIT.usage, hint: 'give more of the id; amux ps --all shows it' },
  SESSION_ENDED: { hint: 'amux restore ID brings it back' },
  SESSION_ELSEWHERE: { exitCode: EXIT.failure, hint: 'amux restore ID goes on with it here when it has ended there' },
  SESSION_LIVE: { exitCode: EXIT.failure, hint: 'amux stop ID ends it first' },
  NO_TURN: { hint: 'amux send ID "..." gives it something to do' },
  TURN_RUNNING: {
    exitCode: EXIT.failure,
    hint: 'without --now a message waits for the end of the turn; amux interrupt ID stops it',
  },
  REQUEST_CLOSED: { exitCode: EXIT.failure, hint: 'amux inbox lists what still waits' },
  MESSAGE_GONE: { exitCode: EXIT.failure },
  WORKSPACE_ERROR: { exitCode: EXIT.failure },
  TOO_LARGE: { exitCode: EXIT.failure },
  TOO_MANY_SESSIONS: {
    exitCode: EXIT.failure,
    hint: 'amux ps shows them; amux park ID frees the process of one, amux stop ID ends it',
  },
  TOO_MANY_REQUESTS: { exitCode: EXIT.failure },
  UNAUTHORIZED: {
    exitCode: EXIT.failure,
    hint: 'its token has changed since it was started: amux down ends it, and the next command starts one',
  },
  FORBIDDEN: { exitCode: EXIT.failure },
  AGENT_NOT_INSTALLED: { hint: 'amux install AGENT gets it' },
  UNKNOWN_AGENT: { hint: 'amux agents lists them' },
  CAPABILITY_ERROR: { hint: 'amux capabilities AGENT says what it can' },
};

/** The daemon's word, where the error is one of its. */
export function problemOf(error: object): string | undefined {
  return 'problem' in error && typeof error.problem === 'string' ? error.problem : undefined;
}
