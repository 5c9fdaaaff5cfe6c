import type { Answer, Request, Session, SessionEvent } from '@agent-mux/api';
import { AnswerSchema } from '@agent-mux/api/schemas';
import { messageOf } from '@agent-mux/core';
import { DaemonError } from '../daemon-error.ts';
import { answerRequest, handOver } from '../requests/answer.ts';
import type { Desk } from '../sessions/desk.ts';
import { requestKey } from '../sessions/ids.ts';
import { policyRequestOf } from './policy-request.ts';

const LOOK_EVERY_MS = 2000;

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

/** A rule or a remembered answer is new: whatever is open may be decided by it. */
export function judgeOpen(desk: Desk): void {
  for (const { id, projector } of desk.live.values())
    if (projector.state.approvals.length > 0) judgeUnanswered(desk, id);
}

function judgeUnanswered(desk: Desk, sessionId: string): void {
  const look = async () => {
    const { rows } = await desk.store.listRequests({ sessionId, state: 'open', limit: 500 });
    for (const { id, answer } of rows) if (answer === null) start(desk, id);
  };
  desk.serial.run(`policy ${sessionId}`, look).catch((error) => tell(desk, sessionId, error));
}

/** Commands and people write rules as well: what is open is judged again when a file that counts for it has changed. Returns what stops that. */
export function watchRules(desk: Desk): () => void {
  const seen = new Map<string, string>();
  const look = async () => {
    for (const { id, projector } of desk.live.values()) {
      const session = projector.state.approvals.length === 0 ? null : await desk.store.getSession(id);
      const stamp = session && desk.policy.stamp(session);
      if (stamp === null) seen.delete(id);
      else if (seen.get(id) !== stamp) {
        seen.set(id, stamp);
        judgeUnanswered(desk, id);
      }
    }
    for (const id of seen.keys()) if (!desk.live.has(id)) seen.delete(id);
  };
  const timer = setInterval(() => {
    desk.serial.run('policy files', look).catch((error) => tell(desk, 'rules', error));
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
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
