import type { ApprovalRequest, InputRequest } from '@agent-mux/core';
import { isRecord } from '@agent-mux/core/light';
import type { Answer } from '../../schemas/request.ts';
import { isProblem } from '../api-error.ts';
import type { DaemonClient } from '../daemon-client.ts';

/** As many as may be open in one session. */
const MOST = 500;

/**
 * Answers a request of a session by the agent's own id. The agent's ids are unique within a launch at most, hence the look for
 * the one that is open. What somebody else has answered meanwhile needs no answer: an event says which it was.
 */
export async function answerRequest(
  client: DaemonClient,
  sessionId: string,
  requestId: string,
  answer: Answer,
): Promise<void> {
  const { requests } = await client.requests.list({ session: sessionId, state: 'open', limit: MOST });
  const row = requests.filter((each) => each.requestId === requestId).sort((a, b) => b.launch - a.launch)[0];
  if (!row) return;
  try {
    await client.requests.answer(row.id, answer);
  } catch (error) {
    if (!isProblem(error, 'REQUEST_CLOSED')) throw error;
  }
}

/** What the agent of a session waits for, as it was told. */
export async function listOpenRequests(
  client: DaemonClient,
  sessionId: string,
): Promise<(ApprovalRequest | InputRequest)[]> {
  const { requests } = await client.requests.list({ session: sessionId, state: 'open', limit: MOST });
  return requests.map(({ event }): unknown => event).filter(isAsking);
}

function isAsking(event: unknown): event is ApprovalRequest | InputRequest {
  if (!isRecord(event) || typeof event.seq !== 'number') return false;
  return event.type === 'approval_request' || event.type === 'input_required';
}
