import { userInfo } from 'node:os';
import { messageOf, type PolicyStore, type RunHandle, type RunOptions } from '@agent-mux/core';
import type { Answers } from '../run/request-handlers.ts';

/** Answers of a run; some are remembered for the next one. */
export function rememberAnswers(
  handle: RunHandle,
  store: PolicyStore | undefined,
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
      if (!store) {
        say('allowed once: answers are not remembered with --no-policy');
        return;
      }
      const cwd = options.cwd ?? process.cwd();
      const isLocal = (options.invocation?.mode ?? 'local') === 'local';
      const subject = { request, agent: handle.agent, cwd, session: handle.runId, isLocal };
      store
        .remember(subject, { decision: 'allow', by: userName(), ...remember }, false)
        .catch((error: unknown) => say(`allowed once, but not remembered: ${messageOf(error)}`));
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
