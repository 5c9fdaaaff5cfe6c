import type { Request, Session } from '@agent-mux/api';
import { type ApprovalRequest, findEventIssue, isRecord, type PolicyRequest } from '@agent-mux/core';

/** The request of a row as rules see it; undefined for questions and unknown requests. */
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
  return isRecord(event) && event.type === 'approval_request' && findEventIssue(event) === undefined;
}
