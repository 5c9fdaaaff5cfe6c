import type { ApprovalMode } from '../contract/capabilities.ts';
import type { QuestionAnswers } from '../contract/options.ts';
import type { RunHandle, RunResult, SendOptions } from '../contract/run.ts';
import { attachListeners } from './log/attach-listeners.ts';
import type { Run } from './run.ts';

/** The caller's side of a run: thin, everything happens in `Run`. */
export function createHandle(run: Run): RunHandle {
  const handle: RunHandle = {
    runId: run.options.runId,
    agent: run.options.agent,
    mode: run.mode.name,
    result: run.result,
    get sessionId() {
      return run.sequence.sessionId;
    },
    get text() {
      return run.text;
    },
    [Symbol.asyncIterator]: () => run.log.read(),
    batches: () => ({ [Symbol.asyncIterator]: () => run.log.readBatches() }),
    // biome-ignore lint/suspicious/noThenProperty: a handle is awaited for its result, by contract
    then: <A = RunResult, B = never>(
      resolved?: ((result: RunResult) => A | PromiseLike<A>) | null,
      rejected?: ((error: unknown) => B | PromiseLike<B>) | null,
    ) => run.result.then(resolved, rejected),
    ...attachListeners<RunHandle>(run.listeners, () => handle),
    send: async (prompt: string, options?: SendOptions) => run.send(prompt, options?.attachments),
    steer: async (prompt: string) => run.steer(prompt),
    interrupt: () => run.interrupt(),
    abort: (reason?: string) => run.abort(reason),
    end: () => run.end(),
    approve: (requestId, options) => run.requests.approve(requestId, options),
    deny: (requestId, options) => run.requests.deny(requestId, options),
    answer: (requestId: string, answers: QuestionAnswers | 'decline') => run.requests.answer(requestId, answers),
    pending: () => run.requests.list(),
    setModel: async (model: string) => run.setModel(model),
    setApprovalMode: async (mode: ApprovalMode) => run.setApprovalMode(mode),
  };
  return handle;
}
