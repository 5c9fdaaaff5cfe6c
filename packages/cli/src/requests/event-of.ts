import type { Request } from '@agent-mux/api';
import type { ApprovalRequest, InputRequest } from '@agent-mux/core';
import { AgentMuxError, escapeControls, findEventIssue, isRecord } from '@agent-mux/core/light';
import { toOneLine } from '../screen/plain.ts';

/** The event behind the request. */
export function eventOf({ event, id }: Request): ApprovalRequest | InputRequest {
  const source: unknown = event;
  if (isRequest(source)) return source;
  throw new AgentMuxError('PROTOCOL_ERROR', `request ${id} has an unknown format`, {
    hint: 'the daemon may be of another version: check "amux status", run "amux down", then retry',
  });
}

function isRequest(event: unknown): event is ApprovalRequest | InputRequest {
  const hasRequestType = isRecord(event) && (event.type === 'approval_request' || event.type === 'input_required');
  return hasRequestType && findEventIssue(event) === undefined;
}

/** One-line summary of the request. */
export function titleOfRequest(request: Request): string {
  const event = eventOf(request);
  const texts = event.type === 'approval_request' ? [event.title] : event.questions.map(({ question }) => question);
  return toOneLine(texts.map(escapeControls).join(' · '), 300);
}
