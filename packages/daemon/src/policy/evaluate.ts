import type { Answer, Request, Session, SessionEvent } from '@agent-mux/api';
import { AnswerSchema } from '@agent-mux/api/schemas';
import { messageOf } from '@agent-mux/core';
import { DaemonError } from '../daemon-error.ts';
import { answerRequest, deliverAnswer } from '../requests/answer.ts';
import type { DaemonContext } from '../sessions/daemon-context.ts';
import { requestKey } from '../sessions/ids.ts';
import { policyRequestOf } from './policy-request.ts';

const CHECK_EVERY_MS = 2000;

/** Evaluates new requests. Does not wait, since an answer needs the session's mutex. */
export function evaluateNew(
  ctx: DaemonContext,
  live: Pick<Session, 'id' | 'launch'>,
  events: readonly SessionEvent[],
): void {
  for (const event of events) {
    if (event.type === 'approval_request') start(ctx, requestKey(live.id, live.launch, event.requestId));
  }
}

/** Evaluates requests from before a restart; answers that may not have reached the agent are delivered again. */
export function evaluatePending(ctx: DaemonContext, sessionId: string): void {
  const check = async () => {
    const { rows } = await ctx.store.listRequests({ sessionId, state: 'open', limit: 500 });
    for (const { id, answer } of rows) {
      if (answer === null) start(ctx, id);
      else ctx.mutex.run(sessionId, () => redeliver(ctx, id)).catch((error) => logError(ctx, id, error));
    }
  };
  ctx.mutex.run(`policy ${sessionId}`, check).catch((error) => logError(ctx, sessionId, error));
}

/** Evaluates all open requests after a rule or remembered answer was added. */
export function evaluateOpen(ctx: DaemonContext): void {
  for (const { id, projector } of ctx.live.values())
    if (projector.state.approvals.length > 0) evaluateUnanswered(ctx, id);
}

function evaluateUnanswered(ctx: DaemonContext, sessionId: string): void {
  const check = async () => {
    const { rows } = await ctx.store.listRequests({ sessionId, state: 'open', limit: 500 });
    for (const { id, answer } of rows) if (answer === null) start(ctx, id);
  };
  ctx.mutex.run(`policy ${sessionId}`, check).catch((error) => logError(ctx, sessionId, error));
}

/**
 * Evaluates open requests again when a rule file that applies to them has changed. Returns a function that stops it.
 */
export function watchRules(ctx: DaemonContext): () => void {
  const seen = new Map<string, string>();
  const check = async () => {
    for (const { id, projector } of ctx.live.values()) {
      const session = projector.state.approvals.length === 0 ? null : await ctx.store.getSession(id);
      const stamp = session && ctx.policy.stamp(session);
      if (stamp === null) seen.delete(id);
      else if (seen.get(id) !== stamp) {
        seen.set(id, stamp);
        evaluateUnanswered(ctx, id);
      }
    }
    for (const id of seen.keys()) if (!ctx.live.has(id)) seen.delete(id);
  };
  const timer = setInterval(() => {
    ctx.mutex.run('policy files', check).catch((error) => logError(ctx, 'rules', error));
  }, CHECK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function start(ctx: DaemonContext, id: string): void {
  if (ctx.isClosing()) return;
  // Under a separate key, so that closing the daemon waits for it.
  ctx.mutex.run(`policy ${id}`, () => evaluate(ctx, id)).catch((error) => logError(ctx, id, error));
}

async function evaluate(ctx: DaemonContext, id: string): Promise<void> {
  const request = await ctx.store.getRequest(id);
  if (request?.state !== 'open' || request.answer !== null) return;
  const session = await ctx.store.getSession(request.sessionId);
  const policyRequest = session && policyRequestOf(session, request);
  const decided = policyRequest && ctx.policy.answer(policyRequest, session.trustProject);
  if (!decided) return;
  const actor = decided.rule.startsWith('remembered ') ? decided.rule : `rule ${decided.rule}`;
  await answerRequest(ctx, id, decided.answer, actor);
}

/** The daemon may have ended between storing an answer and delivering it; the keeper knows whether it has it. */
async function redeliver(ctx: DaemonContext, id: string): Promise<void> {
  const request = await ctx.store.getRequest(id);
  const live = request && ctx.live.get(request.sessionId);
  if (request?.state !== 'open' || live?.launch !== request.launch) return;
  const answer = readAnswer(request);
  if (answer) await deliverAnswer(ctx, live, request, answer, request.by ?? 'unknown');
}

function readAnswer({ answer }: Request): Answer | undefined {
  return AnswerSchema.safeParse(answer).data;
}

/** Another answer that came first is not an error. */
function logError(ctx: DaemonContext, id: string, error: unknown): void {
  if (error instanceof DaemonError && error.code === 'REQUEST_CLOSED') return;
  ctx.log(`${id}: policy evaluation failed: ${messageOf(error)}`);
}
