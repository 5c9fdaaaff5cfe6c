import type { ErrorCode, ExitReason } from '@agent-mux/core';

export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  unknownAgent: 3,
  notInstalled: 4,
  notLoggedIn: 5,
  capability: 6,
  notAsked: 7,
  timeout: 11,
  crashed: 12,
  aborted: 13,
  rateLimited: 14,
  contextExceeded: 15,
} as const;

/** What each number means, as `amux help` prints it. */
export const EXIT_MEANINGS: readonly (readonly [number, string])[] = [
  [EXIT.ok, 'it worked'],
  [EXIT.failure, 'it failed: what and why is on stderr'],
  [EXIT.usage, 'wrong usage: a flag, a value, a configuration file'],
  [EXIT.unknownAgent, 'there is no such agent'],
  [EXIT.notInstalled, 'the agent is not installed'],
  [EXIT.notLoggedIn, 'the agent is not logged in'],
  [EXIT.capability, 'the agent cannot do what was asked; nothing was started'],
  [EXIT.notAsked, 'the agent asked, and there was no terminal to answer on: it was denied'],
  [EXIT.timeout, 'a time-out ended the run'],
  [EXIT.crashed, 'the agent crashed or could not be started'],
  [EXIT.aborted, 'interrupted or aborted'],
  [EXIT.rateLimited, 'a rate or usage limit was hit'],
  [EXIT.contextExceeded, "the conversation no longer fits into the model's context"],
];

/** One table for both: how a run ended, and what kept one from starting. What is not named here is a failure. */
const CODES: Readonly<Record<string, number>> = {
  completed: EXIT.ok,
  VALIDATION_ERROR: EXIT.usage,
  CONFIG_ERROR: EXIT.usage,
  UNKNOWN_AGENT: EXIT.unknownAgent,
  AGENT_NOT_INSTALLED: EXIT.notInstalled,
  AUTH_ERROR: EXIT.notLoggedIn,
  auth_error: EXIT.notLoggedIn,
  CAPABILITY_ERROR: EXIT.capability,
  TIMEOUT: EXIT.timeout,
  INACTIVITY_TIMEOUT: EXIT.timeout,
  timeout: EXIT.timeout,
  inactivity: EXIT.timeout,
  AGENT_CRASH: EXIT.crashed,
  SPAWN_ERROR: EXIT.crashed,
  crashed: EXIT.crashed,
  ABORTED: EXIT.aborted,
  aborted: EXIT.aborted,
  interrupted: EXIT.aborted,
  RATE_LIMITED: EXIT.rateLimited,
  rate_limited: EXIT.rateLimited,
  CONTEXT_EXCEEDED: EXIT.contextExceeded,
  context_exceeded: EXIT.contextExceeded,
} satisfies Partial<Record<ErrorCode | ExitReason, number>>;

/** Of the code of an error, also of one that another version has stored, or of a reason. */
export function exitCodeOf(why: ErrorCode | ExitReason | (string & {})): number {
  return CODES[why] ?? EXIT.failure;
}
