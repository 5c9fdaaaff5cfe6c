import type { Answer, Request } from '@agent-mux/api';
import { isRecord, type RememberedAnswer } from '@agent-mux/core';
import { DaemonError } from '../daemon-error.ts';
import { policyRequestOf } from '../policy/policy-request.ts';
import type { Who } from '../service.ts';
import { type Desk, type LiveSession, tellChange } from '../sessions/desk.ts';
import { isKeeperGone } from '../sessions/keeper-link.ts';

/** Ids may be shortened here too. */
async function findRequest({ store }: Pick<Desk, 'store'>, id: string): Promise<Request> {
  const exact = await store.getRequest(id);
  if (exact) return exact;
  const { rows } = await store.listRequests({ id, limit: 10 });
  if (rows.length === 1) return rows[0]!;
  if (rows.length === 0)
    throw new DaemonError('NOT_FOUND', `there is no request "${id}"`, { hint: 'amux inbox lists what is open' });
  throw new DaemonError('AMBIGUOUS_ID', `several requests begin with "${id}"`, { hint: 'say more of it' });
}

/** One that the agent offered, once, for the session that asked. Who gave it stands in the row before the agent hears of it. */
export async function answerRequest(desk: Desk, id: string, answer: Answer, who: Who): Promise<Request> {
  const found = await findRequest(desk, id);
  return desk.serial.run(found.sessionId, async () => {
    const request = await findRequest(desk, found.id);
    const live = desk.live.get(request.sessionId);
    if (request.state !== 'open' || request.answer !== null || live?.launch !== request.launch) throw closed(request);
    refuseWhatWasNotOffered(request, answer);
    const remembered = await rememberAnswer(desk, request, answer, who);
    await desk.store.updateRequest(request.id, { by: who, answer: { ...answer } });
    try {
      await handOver(desk, live, request, answer, who);
    } catch (error) {
      await desk.store.updateRequest(request.id, { by: null, answer: null });
      if (remembered) await desk.policy.forget(remembered.id).catch(() => {});
      // The process that asked has ended; its requests are closed when that is settled.
      throw isKeeperGone(error) ? closed({ ...request, state: 'cancelled' }) : error;
    }
    return findRequest(desk, request.id);
  });
}

/** To the agent, and into the audit log. Runs within the session's serial. */
export async function handOver(
  desk: Desk,
  live: LiveSession,
  request: Request,
  answer: Answer,
  who: Who,
): Promise<void> {
  const { remember: _, ...given } = { remember: undefined, ...answer };
  await live.link?.order({
    type: 'answer',
    sessionId: request.sessionId,
    requestId: request.requestId,
    answer: given,
  });
  const detail = { ...auditDetailOf(request), answer: { ...answer } };
  await desk.store.appendAudit({
    time: desk.now(),
    who,
    action: `request.${answer.decision}`,
    sessionId: request.sessionId,
    detail,
  });
  tellChange(desk);
}

/** Before the agent hears the answer: what cannot be remembered is refused as a whole. */
async function rememberAnswer(
  desk: Desk,
  request: Request,
  answer: Answer,
  by: Who,
): Promise<RememberedAnswer | undefined> {
  if (answer.decision !== 'allow' && answer.decision !== 'deny') return undefined;
  const { decision, remember } = answer;
  if (!remember) return undefined;
  const session = await desk.store.getSession(request.sessionId);
  const asked = session && policyRequestOf(session, request);
  if (!asked) throw new DaemonError('NOT_OFFERED', 'an answer to this cannot be remembered');
  return desk.policy.remember(asked, { decision, by, ...remember }, session.trustProject);
}

/** "Not now": it stays open, and is shown again at that time. */
export async function postponeRequest(desk: Desk, id: string, until: number, who: Who): Promise<Request> {
  const request = await findRequest(desk, id);
  if (request.state !== 'open') throw closed(request);
  const later = await desk.store.updateRequest(request.id, { laterUntil: until });
  await desk.store.appendAudit({
    time: desk.now(),
    who,
    action: 'request.later',
    sessionId: request.sessionId,
    detail: { ...auditDetailOf(request), until },
  });
  tellChange(desk);
  return later ?? request;
}

/** What the audit log says of a request: its id for programs, its tool and title for people. */
export function auditDetailOf({ id, kind, event }: Pick<Request, 'id' | 'kind' | 'event'>) {
  return { requestId: id, kind, tool: event.toolName ?? null, title: event.title ?? firstQuestionOf(event) };
}

function firstQuestionOf({ questions }: Request['event']): unknown {
  const [first]: unknown[] = Array.isArray(questions) ? questions : [];
  return typeof first === 'object' && first !== null && 'question' in first ? first.question : null;
}

function closed({ id, state, by }: Request): DaemonError {
  const whose = by === null ? '' : ` by ${by}`;
  return new DaemonError(
    'REQUEST_CLOSED',
    `request ${id} is ${state === 'open' ? `being answered${whose}` : `${state}${whose}`}`,
    {
      hint: 'amux inbox lists what is open',
    },
  );
}

/** The keeper looks once more; here it is refused before anything is written. */
function refuseWhatWasNotOffered({ kind, event }: Request, answer: Answer): void {
  const isForApproval = answer.decision === 'allow' || answer.decision === 'deny';
  if (isForApproval !== (kind === 'approval'))
    throw new DaemonError(
      'NOT_OFFERED',
      `"${answer.decision}" is no answer to ${kind === 'approval' ? 'an approval' : 'a question'}`,
    );
  if (answer.decision === 'answer') {
    const known = idsOf(event.questions);
    const foreign = Object.keys(answer.answers).find((question) => !known.includes(question));
    if (foreign !== undefined) throw new DaemonError('NOT_OFFERED', `there was no question "${foreign}"`);
  }
  if (!isForApproval || answer.optionId === undefined) return;
  const options = Array.isArray(event.options) ? event.options : [];
  const chosen = options.find((option) => isRecord(option) && option.id === answer.optionId);
  const fits = isRecord(chosen) && String(chosen.kind).startsWith(answer.decision);
  if (!fits)
    throw new DaemonError('NOT_OFFERED', `the agent did not offer "${answer.optionId}" to ${answer.decision}`, {
      hint: `it offered ${idsOf(options).join(', ')}`,
    });
}

function idsOf(list: unknown): string[] {
  return Array.isArray(list)
    ? list.flatMap((one) => (isRecord(one) && typeof one.id === 'string' ? [one.id] : []))
    : [];
}
