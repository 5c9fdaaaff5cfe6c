import type { Answer, Request } from '@agent-mux/api';
import { isRecord, type RememberedAnswer } from '@agent-mux/core';
import { DaemonError } from '../daemon-error.ts';
import { policyRequestOf } from '../policy/policy-request.ts';
import type { Actor } from '../service.ts';
import { type DaemonContext, type LiveSession, notifyChange } from '../sessions/daemon-context.ts';
import { isKeeperGone } from '../sessions/keeper-link.ts';

/** Accepts an id prefix. */
async function findRequest({ store }: Pick<DaemonContext, 'store'>, id: string): Promise<Request> {
  const exact = await store.getRequest(id);
  if (exact) return exact;
  const { rows } = await store.listRequests({ id, limit: 10 });
  if (rows.length === 1) return rows[0]!;
  if (rows.length === 0)
    throw new DaemonError('NOT_FOUND', `unknown request "${id}"`, { hint: 'run "amux inbox" to list open requests' });
  throw new DaemonError('AMBIGUOUS_ID', `"${id}" matches several requests`, { hint: 'use a longer prefix' });
}

/**
 * Answers a request once, with one of the offered options. The answer and its author are stored before the agent gets
 * it.
 */
export async function answerRequest(ctx: DaemonContext, id: string, answer: Answer, actor: Actor): Promise<Request> {
  const found = await findRequest(ctx, id);
  return ctx.mutex.run(found.sessionId, async () => {
    const request = await findRequest(ctx, found.id);
    const live = ctx.live.get(request.sessionId);
    if (request.state !== 'open' || request.answer !== null || live?.launch !== request.launch) throw closed(request);
    assertOffered(request, answer);
    const remembered = await rememberAnswer(ctx, request, answer, actor);
    await ctx.store.updateRequest(request.id, { by: actor, answer: { ...answer } });
    try {
      await deliverAnswer(ctx, live, request, answer, actor);
    } catch (error) {
      await ctx.store.updateRequest(request.id, { by: null, answer: null });
      if (remembered) await ctx.policy.forget(remembered.id).catch(() => {});
      // The process that policyRequest has ended; its requests are closed when the session is reconciled.
      throw isKeeperGone(error) ? closed({ ...request, state: 'cancelled' }) : error;
    }
    return findRequest(ctx, request.id);
  });
}

/** Sends the answer to the agent and writes the audit log. Call it while holding the session's mutex. */
export async function deliverAnswer(
  ctx: DaemonContext,
  live: LiveSession,
  request: Request,
  answer: Answer,
  actor: Actor,
): Promise<void> {
  const { remember: _, ...agentAnswer } = { remember: undefined, ...answer };
  await live.link?.request({
    type: 'answer',
    sessionId: request.sessionId,
    requestId: request.agentRequestId,
    answer: agentAnswer,
  });
  const detail = { ...auditDetailOf(request), answer: { ...answer } };
  await ctx.store.appendAudit({
    timestamp: ctx.now(),
    actor,
    action: `request.${answer.decision}`,
    sessionId: request.sessionId,
    detail,
  });
  notifyChange(ctx);
}

/** Runs before the agent gets the answer: an answer that cannot be remembered is refused entirely. */
async function rememberAnswer(
  ctx: DaemonContext,
  request: Request,
  answer: Answer,
  by: Actor,
): Promise<RememberedAnswer | undefined> {
  if (answer.decision !== 'allow' && answer.decision !== 'deny') return undefined;
  const { decision, remember } = answer;
  if (!remember) return undefined;
  const session = await ctx.store.getSession(request.sessionId);
  const policyRequest = session && policyRequestOf(session, request);
  if (!policyRequest) throw new DaemonError('NOT_OFFERED', 'answers to this request cannot be remembered');
  return ctx.policy.remember(policyRequest, { decision, by, ...remember }, session.trustProject);
}

/** The request stays open and is shown again at that time. */
export async function snoozeRequest(ctx: DaemonContext, id: string, until: number, actor: Actor): Promise<Request> {
  const request = await findRequest(ctx, id);
  if (request.state !== 'open') throw closed(request);
  const later = await ctx.store.updateRequest(request.id, { snoozedUntil: until });
  await ctx.store.appendAudit({
    timestamp: ctx.now(),
    actor,
    action: 'request.snooze',
    sessionId: request.sessionId,
    detail: { ...auditDetailOf(request), until },
  });
  notifyChange(ctx);
  return later ?? request;
}

/** Detail of a request in the audit log: its id for programs, its tool and title for people. */
export function auditDetailOf({ id, kind, event }: Pick<Request, 'id' | 'kind' | 'event'>) {
  return { requestId: id, kind, tool: event.toolName ?? null, title: event.title ?? firstQuestionOf(event) };
}

function firstQuestionOf({ questions }: Request['event']): unknown {
  const [first]: unknown[] = Array.isArray(questions) ? questions : [];
  return typeof first === 'object' && first !== null && 'question' in first ? first.question : null;
}

function closed({ id, state, by }: Request): DaemonError {
  const byText = by === null ? '' : ` by ${by}`;
  return new DaemonError(
    'REQUEST_CLOSED',
    `request ${id} is ${state === 'open' ? `being answered${byText}` : `${state}${byText}`}`,
    {
      hint: 'run "amux inbox" to list open requests',
    },
  );
}

/** The keeper checks this, too; here it is refused before anything is stored. */
function assertOffered({ kind, event }: Request, answer: Answer): void {
  const isForApproval = answer.decision === 'allow' || answer.decision === 'deny';
  if (isForApproval !== (kind === 'approval'))
    throw new DaemonError(
      'NOT_OFFERED',
      `"${answer.decision}" is not a valid answer to ${kind === 'approval' ? 'an approval' : 'a question'}`,
    );
  if (answer.decision === 'answer') {
    const known = idsOf(event.questions);
    const unknownId = Object.keys(answer.answers).find((question) => !known.includes(question));
    if (unknownId !== undefined) throw new DaemonError('NOT_OFFERED', `unknown question "${unknownId}"`);
  }
  if (!isForApproval || answer.optionId === undefined) return;
  const options = Array.isArray(event.options) ? event.options : [];
  const chosen = options.find((option) => isRecord(option) && option.id === answer.optionId);
  const fits = isRecord(chosen) && String(chosen.kind).startsWith(answer.decision);
  if (!fits)
    throw new DaemonError('NOT_OFFERED', `the agent did not offer "${answer.optionId}" for "${answer.decision}"`, {
      hint: `use one of: ${idsOf(options).join(', ')}`,
    });
}

function idsOf(list: unknown): string[] {
  return Array.isArray(list)
    ? list.flatMap((one) => (isRecord(one) && typeof one.id === 'string' ? [one.id] : []))
    : [];
}
