import type { Request } from '@agent-mux/api';
import type { ApprovalRequest, InputRequest } from '@agent-mux/core';
import { AgentMuxError, findEventFault, isRecord, makeVisible } from '@agent-mux/core/light';
import { toOneLine } from '../screen/plain.ts';

/** The event that the request was made of. */
export function eventOf({ event, id }: Request): ApprovalRequest | InputRequest {
  const asked: unknown = event;
  if (isRequest(asked)) return asked;
  throw new AgentMuxError('PROTOCOL_ERROR', `request ${id} is none that this amux understands`, {
    hint: 'is the daemon of another version? amux status says so; amux down, and the next command starts this one',
  });
}

function isRequest(event: unknown): event is ApprovalRequest | InputRequest {
  const isAsked = isRecord(event) && (event.type === 'approval_request' || event.type === 'input_required');
  return isAsked && findEventFault(event) === undefined;
}

/** What it asks for, in a line. */
export function titleOfRequest(request: Request): string {
  const event = eventOf(request);
  const texts = event.type === 'approval_request' ? [event.title] : event.questions.map(({ question }) => question);
  return toOneLine(texts.map(makeVisible).join(' · '), 300);
}
