import type { AgentDetail, Session } from '@agent-mux/api/browser';

/** Said to a screen by its arguments; everything else of a session is the engine's. */
const ON_SCREEN: ReadonlySet<string> = new Set(['model', 'approvalMode']);

/** Why the agent's own screen cannot be opened for this session, ever; null: it can. */
export function whyNot(
  { launch, nativeId, options }: Pick<Session, 'launch' | 'nativeId' | 'options'>,
  { displayName, screen }: Pick<AgentDetail, 'displayName' | 'screen'>,
): string | null {
  if (screen === null)
    return `${displayName} has no screen of its own that can be shown here. Write to it in the conversation.`;
  if (launch > 0 && nativeId === null)
    return `${displayName} never told the id of its session, so its screen could not go on with it.`;
  if (nativeId !== null && !screen.resumes)
    return `The screen of ${displayName} cannot go on with a session that has begun. Begin a new one in a terminal.`;
  const foreign = Object.keys(options).filter((name) => !ON_SCREEN.has(name));
  const { model, approvalMode } = options;
  if (model !== undefined && !screen.takesModel) foreign.push('model');
  if (typeof approvalMode === 'string' && !screen.approvalModes.includes(approvalMode)) foreign.push('approvalMode');
  return foreign.length === 0 ? null : `The screen of ${displayName} cannot be started with: ${foreign.join(', ')}.`;
}
