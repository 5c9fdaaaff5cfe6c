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

/** Meaning of each exit code, as printed by `amux help`. */
export const EXIT_CODE_HELP: readonly (readonly [number, string])[] = [
  [EXIT.ok, 'Success'],
  [EXIT.failure, 'Failure; see stderr'],
  [EXIT.usage, 'Usage or configuration error'],
  [EXIT.unknownAgent, 'Unknown agent'],
  [EXIT.notInstalled, 'Agent not installed'],
  [EXIT.notLoggedIn, 'Agent not logged in'],
  [EXIT.capability, 'Not supported by the agent; nothing was started'],
  [EXIT.notAsked, 'Approval needed, but no terminal to ask on; denied'],
  [EXIT.timeout, 'Timeout'],
  [EXIT.crashed, 'The agent crashed or could not be started'],
  [EXIT.aborted, 'Interrupted or aborted'],
  [EXIT.rateLimited, 'Rate or usage limit reached'],
  [EXIT.contextExceeded, 'Context window exceeded'],
];

/** Maps error codes and exit reasons. Unlisted ones are failures. */
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

/** Accepts unknown codes, such as those stored by another version. */
export function exitCodeOf(why: ErrorCode | ExitReason | (string & {})): number {
  return CODES[why] ?? EXIT.failure;
}
