import type { Answer, Request, Session, SessionEvent } from '@agent-mux/api';
import { AnswerSchema } from '@agent-mux/api/schemas';
import { messageOf } from '@agent-mux/core';
import { DaemonError } from '../daemon-error.ts';
import { answerRequest, handOver } from '../requests/answer.ts';
import type { Desk } from '../sessions/desk.ts';
import { requestKey } from '../sessions/ids.ts';
import { policyRequestOf } from './policy-request.ts';

/** What has just been asked for. It is not waited for: an answer needs its turn in the session. */
export function judgeNew(desk: Desk, live: Pick<Session, 'id' | 'launch'>, events: readonly SessionEvent[]): void {
  for (const event of events) {
    if (event.type === 'approval_request') start(desk, requestKey(live.id, live.launch, event.requestId));
  }
}

/** What waits since a daemon before this one; answers that may not have reached the agent are handed over again. */
export function judgeWaiting(desk: Desk, sessionId: string): void {
  const look = async () => {
    const { rows } = await desk.store.listRequests({ sessionId, state: 'open', limit: 500 });
    for (const { id, answer } of rows) {
      if (answer === null) start(desk, id);
      else desk.serial.run(sessionId, () => handOverAgain(desk, id)).catch((error) => tell(desk, id, error));
    }
  };
  desk.serial.run(`policy ${sessionId}`, look).catch((error) => tell(desk, sessionId, error));
}

function start(desk: Desk, id: string): void {
  if (desk.isClosing()) return;
  // Under a name of its own, so that whoever closes waits for it.
  desk.serial.run(`policy ${id}`, () => judge(desk, id)).catch((error) => tell(desk, id, error));
}

async function judge(desk: Desk, id: string): Promise<void> {
  const request = await desk.store.getRequest(id);
  if (request?.state !== 'open' || request.answer !== null) return;
  const session = await desk.store.getSession(request.sessionId);
  const asked = session && policyRequestOf(session, request);
  const decided = asked && desk.policy.answer(asked, session.trustProject);
  if (!decided) return;
  const who = decided.rule.startsWith('remembered ') ? decided.rule : `rule ${decided.rule}`;
  await answerRequest(desk, id, decided.answer, who);
}

/** The daemon may have ended between writing an answer down and handing it over; the keeper knows whether it has it. */
async function handOverAgain(desk: Desk, id: string): Promise<void> {
  const request = await desk.store.getRequest(id);
  const live = request && desk.live.get(request.sessionId);
  if (request?.state !== 'open' || live?.launch !== request.launch) return;
  const answer = readAnswer(request);
  if (answer) await handOver(desk, live, request, answer, request.by ?? 'unknown');
}

function readAnswer({ answer }: Request): Answer | undefined {
  return AnswerSchema.safeParse(answer).data;
}

/** That somebody else was faster is nothing to tell. */
function tell(desk: Desk, id: string, error: unknown): void {
  if (error instanceof DaemonError && error.code === 'REQUEST_CLOSED') return;
  desk.log(`${id}: no rule could answer it: ${messageOf(error)}`);
}
