import type { RunHandle, RunResult } from '@agent-mux/core';
import { attachListeners } from '@agent-mux/core/light';
import type { Session } from '../../schemas/session.ts';
import type { RemoteRun } from './remote-run.ts';

/** Handle of a run in the daemon. With `id` and the `seq` of an event, any process can attach to it again. */
export interface RemoteRunHandle extends RunHandle {
  /** The daemon's session id, once it exists. */
  readonly id: string | undefined;
  /** The newest event received. A reader that lags behind should use the `seq` of the last event it processed. */
  readonly lastSeq: number;
  /** Resolves when the session exists; rejects if it could not be created. */
  readonly opened: Promise<Session>;
}

/** The public part; `RemoteRun` has the logic. */
export function createRemoteHandle(run: RemoteRun): RemoteRunHandle {
  const handle: RemoteRunHandle = {
    get id() {
      return run.id;
    },
    get lastSeq() {
      return run.lastSeq;
    },
    get runId() {
      return run.runId;
    },
    get agent() {
      return run.agent;
    },
    get mode() {
      return run.mode;
    },
    get sessionId() {
      return run.agentSessionId;
    },
    get text() {
      return String(run.text);
    },
    opened: run.ending.opened,
    result: run.ending.result,
    [Symbol.asyncIterator]: () => run.log.read(),
    batches: () => ({ [Symbol.asyncIterator]: () => run.log.readBatches() }),
    // biome-ignore lint/suspicious/noThenProperty: a handle is awaited for its result, by contract
    then: <A = RunResult, B = never>(
      resolved?: ((result: RunResult) => A | PromiseLike<A>) | null,
      rejected?: ((error: unknown) => B | PromiseLike<B>) | null,
    ) => run.ending.result.then(resolved, rejected),
    ...attachListeners<RemoteRunHandle>(run.listeners, () => handle),
    send: (prompt, options) => run.send(prompt, options?.attachments),
    steer: (prompt) => run.steer(prompt),
    interrupt: () => run.interrupt(),
    abort: (reason) => run.abort(reason),
    end: () => run.end(),
    approve: (requestId, options) => run.requests.approve(requestId, options),
    deny: (requestId, options) => run.requests.deny(requestId, options),
    answer: (requestId, answers) => run.requests.answer(requestId, answers),
    pending: () => run.requests.list(),
    setModel: (model) => run.change('setModel', { model }),
    setApprovalMode: (approvalMode) => run.change('setApprovalMode', { approvalMode }),
  };
  return handle;
}
