import type { ApprovalRequest, InputRequest } from '@agent-mux/core';
import { isRecord } from '@agent-mux/core/light';
import type { Answer } from '../../schemas/request.ts';
import { isProblem } from '../api-error.ts';
import type { DaemonClient } from '../daemon-client.ts';

/** Maximum number of open requests per session. */
const MOST = 500;

/**
 * Answers a request by the agent's request id. It is unique only within a launch, so the open request is looked up first. A request
 * that was answered meanwhile needs no answer: an event reports it.
 */
export async function answerRequest(
  client: DaemonClient,
  sessionId: string,
  requestId: string,
  answer: Answer,
): Promise<void> {
  const { requests } = await client.requests.list({ sessionId, state: 'open', limit: MOST });
  const row = requests.filter((each) => each.agentRequestId === requestId).sort((a, b) => b.launch - a.launch)[0];
  if (!row) return;
  try {
    await client.requests.answer(row.id, answer);
  } catch (error) {
    if (!isProblem(error, 'REQUEST_CLOSED')) throw error;
  }
}

/** Open requests of a session as events. */
export async function listOpenRequests(
  client: DaemonClient,
  sessionId: string,
): Promise<(ApprovalRequest | InputRequest)[]> {
  const { requests } = await client.requests.list({ sessionId, state: 'open', limit: MOST });
  return requests.map(({ event }): unknown => event).filter(isAsking);
}

function isAsking(event: unknown): event is ApprovalRequest | InputRequest {
  if (!isRecord(event) || typeof event.seq !== 'number') return false;
  return event.type === 'approval_request' || event.type === 'input_required';
}
