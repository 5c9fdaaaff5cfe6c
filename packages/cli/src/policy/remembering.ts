import { userInfo } from 'node:os';
import { messageOf, type PolicyBook, type RunHandle, type RunOptions } from '@agent-mux/core';
import type { Answers } from '../run/asking.ts';

/** The answers of a run, of which some are remembered for the next one. */
export function rememberAnswers(
  handle: RunHandle,
  book: PolicyBook | undefined,
  options: Pick<RunOptions, 'cwd' | 'invocation'>,
  say: (line: string) => void,
): Answers {
  return {
    pending: () => handle.pending(),
    deny: (requestId, how) => handle.deny(requestId, how),
    answer: (requestId, answers) => handle.answer(requestId, answers),
    approve(requestId, { remember, ...how } = {}) {
      const request = handle.pending().find((one) => one.requestId === requestId);
      handle.approve(requestId, how);
      if (!remember || request?.type !== 'approval_request') return;
      if (!book) {
        say('it is allowed once: without rules nothing is remembered');
        return;
      }
      const cwd = options.cwd ?? process.cwd();
      const isLocal = (options.invocation?.mode ?? 'local') === 'local';
      const asked = { request, agent: handle.agent, cwd, session: handle.runId, isLocal };
      book
        .remember(asked, { decision: 'allow', by: userName(), ...remember }, false)
        .catch((error: unknown) => say(`it is allowed once, and not remembered: ${messageOf(error)}`));
    },
  };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'user';
  }
}
