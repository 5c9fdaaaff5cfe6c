import type { AgentDetail, Session } from '@agent-mux/api/browser';

/** Options that a terminal UI can be started with; all others need the run engine. */
const TERMINAL_OPTIONS: ReadonlySet<string> = new Set(['model', 'approvalMode']);

/** Why the agent's terminal UI can never be opened for this session; null if it can. */
export function unavailableReason(
  { launch, agentSessionId, options }: Pick<Session, 'launch' | 'agentSessionId' | 'options'>,
  { displayName, screen }: Pick<AgentDetail, 'displayName' | 'screen'>,
): string | null {
  if (screen === null)
    return `${displayName} has no terminal UI that can be shown here. Send messages in the conversation.`;
  if (launch > 0 && agentSessionId === null)
    return `${displayName} never reported a session id, so its terminal UI cannot resume this session.`;
  if (agentSessionId !== null && !screen.resumes)
    return `The terminal UI of ${displayName} cannot resume an existing session. Start a new one in a terminal.`;
  const unsupported = Object.keys(options).filter((name) => !TERMINAL_OPTIONS.has(name));
  const { model, approvalMode } = options;
  if (model !== undefined && !screen.takesModel) unsupported.push('model');
  if (typeof approvalMode === 'string' && !screen.approvalModes.includes(approvalMode))
    unsupported.push('approvalMode');
  return unsupported.length === 0
    ? null
    : `The terminal UI of ${displayName} cannot be started with: ${unsupported.join(', ')}.`;
}
