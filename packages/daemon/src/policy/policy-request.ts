import type { Request, Session } from '@agent-mux/api';
import { type ApprovalRequest, findEventFault, isRecord, type PolicyRequest } from '@agent-mux/core';

/** A row as rules see it; undefined: it is a question, or none that this version understands. */
export function policyRequestOf(
  { id, agent, cwd, options }: Pick<Session, 'id' | 'agent' | 'cwd' | 'options'>,
  { event }: Pick<Request, 'event'>,
): (PolicyRequest & { request: ApprovalRequest }) | undefined {
  if (!isApproval(event)) return undefined;
  const { invocation } = options;
  const isLocal = invocation === undefined || (isRecord(invocation) && invocation.mode === 'local');
  return { request: event, agent, cwd, session: id, isLocal };
}

function isApproval(event: unknown): event is ApprovalRequest {
  return isRecord(event) && event.type === 'approval_request' && findEventFault(event) === undefined;
}
