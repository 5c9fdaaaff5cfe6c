import type { Session } from '@agent-mux/api';
import type { AgentMode } from '@agent-mux/core';
import { DaemonError } from '../daemon-error.ts';
import { findAdapter, findMode } from './agent-facts.ts';
import { type DaemonContext, isOver } from './daemon-context.ts';

/**
 * What the next process of a session can continue. `resumable`: the conversation with a known agent session id.
 * `process`: nothing, the conversation ends with its process. `none`: the agent has no conversations, each message is a
 * job.
 */
export type Conversation = 'resumable' | 'process' | 'none';

export function conversationOf(mode: AgentMode | undefined): Conversation {
  // An agent that is unknown now may be configured again later; then its session id decides.
  if (!mode || mode.capabilities.canResume) return 'resumable';
  // One process per turn with multiple turns, although nothing can be resumed: no turn needs the previous one.
  return mode.driver === 'oneshot' && mode.capabilities.supportsMultiTurn ? 'none' : 'process';
}

export interface Continuity {
  conversation: Conversation;
  agentSessionId: string | null;
  /** The agent has accepted a message, or one is on its way to it. */
  hasConversation: boolean;
}

/**
 * Would the next process continue the same conversation? Every decision about parking, restoring and launching asks
 * this.
 */
export function canContinue({ conversation, agentSessionId, hasConversation }: Continuity): boolean {
  return conversation === 'none' || !hasConversation || (conversation === 'resumable' && agentSessionId !== null);
}

/** The same for a session without a process, from its rows. */
export async function canContinueStored(
  ctx: Pick<DaemonContext, 'store' | 'clientFor'>,
  session: Session,
): Promise<boolean> {
  const { id, agentSessionId, turns, origin } = session;
  const conversation = conversationOf(findMode(findAdapter(ctx, session), session.options));
  const isKnown = agentSessionId !== null || turns > 0 || origin !== 'daemon';
  const hasConversation = isKnown || (await hasAccepted(ctx, id));
  return canContinue({ conversation, agentSessionId: agentSessionId, hasConversation });
}

/** A dismissed message counts if the agent may have it: dismissing it does not undo that. */
async function hasAccepted({ store }: Pick<DaemonContext, 'store'>, id: string): Promise<boolean> {
  const messages = await store.listMessages(id, ['accepted', 'completed', 'unknown', 'dismissed']);
  return messages.some(({ state, acceptedAt }) => state !== 'dismissed' || acceptedAt !== null);
}

/**
 * Throws if a further message could only start another conversation, now or when the running turn has ended.
 */
export async function assertAcceptsMessages(
  ctx: Pick<DaemonContext, 'store' | 'clientFor' | 'live'>,
  session: Session,
): Promise<void> {
  const live = ctx.live.get(session.id);
  const { capabilities } = findMode(findAdapter(ctx, session), session.options) ?? {};
  const isOpen =
    live && !isOver(live)
      ? capabilities?.supportsMultiTurn !== false || live.projector.conversation !== 'process'
      : await canContinueStored(ctx, session);
  if (!isOpen) throw cannotContinue(ctx, session);
}

/** The session has ended; the hint names the command that works now. */
export async function sessionEnded(
  ctx: Pick<DaemonContext, 'store' | 'clientFor'>,
  session: Session,
): Promise<DaemonError> {
  // The agent reported that it no longer has this conversation: restoring would fail the same way.
  const isMissing = session.error?.code === 'SESSION_NOT_FOUND';
  const canReturn = !isMissing && (await canContinueStored(ctx, session));
  const hint = canReturn ? `run "amux restore ${session.id}"` : newSessionHint(session);
  return new DaemonError('SESSION_ENDED', `session ${session.id} has ended`, { hint });
}

/** The keeper is alive but does not answer. */
export function keeperUnreachable({ id }: Pick<Session, 'id'>): DaemonError {
  return new DaemonError('KEEPER_UNREACHABLE', `the keeper of session ${id} does not answer`, {
    hint: `wait for the daemon to retry, or run "amux stop ${id}" to end the keeper`,
  });
}

/** Why a session cannot be continued, with the command that starts another one. */
export function cannotContinue(ctx: Pick<DaemonContext, 'clientFor'>, session: Session): DaemonError {
  const adapter = findAdapter(ctx, session);
  const name = adapter?.displayName ?? session.agent;
  const mode = findMode(adapter, session.options);
  const why =
    conversationOf(mode) === 'process'
      ? `${name} cannot resume a conversation in another process`
      : `${name} never reported a session id, so this conversation cannot be resumed`;
  return new DaemonError('NO_AGENT_SESSION', why, { hint: newSessionHint(session) });
}

function newSessionHint({ agent, cwd }: Pick<Session, 'agent' | 'cwd'>): string {
  return `start a new session with "amux new -a ${agent} -C ${quoted(cwd)} ..."`;
}

/** Quoted for a POSIX shell. */
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
