import type { Session } from '@agent-mux/api';
import type { AgentMode } from '@agent-mux/core';
import { DaemonError } from '../daemon-error.ts';
import { findAdapter, findMode } from './agent-facts.ts';
import { type Desk, isOver } from './desk.ts';

/**
 * What the next process of a session can continue. `resumable`: the conversation with a known agent session id. `process`:
 * nothing, the conversation ends with its process. `none`: the agent has no conversations, each message is a job.
 */
export type Conversation = 'resumable' | 'process' | 'none';

export function conversationOf(mode: AgentMode | undefined): Conversation {
  // An agent that is unknown now may be known again later; then its session id decides.
  if (!mode || mode.capabilities.canResume) return 'resumable';
  // A process per turn that takes further turns, although nothing can be resumed: no turn needs the one before.
  return mode.driver === 'oneshot' && mode.capabilities.supportsMultiTurn ? 'none' : 'process';
}

export interface Continuity {
  conversation: Conversation;
  agentSessionId: string | null;
  /** The agent has accepted a message, or one is on its way to it. */
  hasConversation: boolean;
}

/** Would the next process continue the same conversation? Every decision about parking, restoring and launching asks this. */
export function canContinue({ conversation, agentSessionId, hasConversation }: Continuity): boolean {
  return conversation === 'none' || !hasConversation || (conversation === 'resumable' && agentSessionId !== null);
}

/** The same for a session without a process, from its rows. */
export async function canContinueStored(desk: Pick<Desk, 'store' | 'clientFor'>, session: Session): Promise<boolean> {
  const { id, nativeId, turns, origin } = session;
  const conversation = conversationOf(findMode(findAdapter(desk, session), session.options));
  const isKnown = nativeId !== null || turns > 0 || origin !== 'daemon';
  const hasConversation = isKnown || (await hasAccepted(desk, id));
  return canContinue({ conversation, agentSessionId: nativeId, hasConversation });
}

/** A dismissed message counts if the agent may have it: dismissing it does not undo that. */
async function hasAccepted({ store }: Pick<Desk, 'store'>, id: string): Promise<boolean> {
  const messages = await store.listMessages(id, ['accepted', 'done', 'unknown', 'dismissed']);
  return messages.some(({ state, acceptedAt }) => state !== 'dismissed' || acceptedAt !== null);
}

/**
 * Throws if a further message could only start another conversation, now or when the running turn has ended.
 */
export async function assertTakesMessages(
  desk: Pick<Desk, 'store' | 'clientFor' | 'live'>,
  session: Session,
): Promise<void> {
  const live = desk.live.get(session.id);
  const { capabilities } = findMode(findAdapter(desk, session), session.options) ?? {};
  const isOpen =
    live && !isOver(live)
      ? capabilities?.supportsMultiTurn !== false || live.projector.conversation !== 'process'
      : await canContinueStored(desk, session);
  if (!isOpen) throw cannotContinue(desk, session);
}

/** The session has ended; the hint names the command that works now. */
export async function sessionEnded(desk: Pick<Desk, 'store' | 'clientFor'>, session: Session): Promise<DaemonError> {
  // The agent itself has said that it does not have this conversation any more: restoring would meet the same failure.
  const isMissing = session.error?.code === 'SESSION_NOT_FOUND';
  const canReturn = !isMissing && (await canContinueStored(desk, session));
  const hint = canReturn ? `amux restore ${session.id}` : newSessionHint(session);
  return new DaemonError('SESSION_ENDED', `session ${session.id} has ended`, { hint });
}

/** Its keeper lives and does not answer. */
export function keeperUnreachable({ id }: Pick<Session, 'id'>): DaemonError {
  return new DaemonError('KEEPER_UNREACHABLE', `the process that holds session ${id} does not answer`, {
    hint: `the daemon keeps trying; amux stop ${id} ends that process`,
  });
}

/** Why a session cannot be continued, with the command that starts another one. */
export function cannotContinue(desk: Pick<Desk, 'clientFor'>, session: Session): DaemonError {
  const adapter = findAdapter(desk, session);
  const name = adapter?.displayName ?? session.agent;
  const mode = findMode(adapter, session.options);
  const why =
    conversationOf(mode) === 'process'
      ? `${name} cannot resume a conversation in another process`
      : `${name} never reported a session id, so this conversation cannot be resumed`;
  return new DaemonError('NO_NATIVE_SESSION', why, { hint: newSessionHint(session) });
}

function newSessionHint({ agent, cwd }: Pick<Session, 'agent' | 'cwd'>): string {
  return `start a new session: amux new -a ${agent} -C ${quoted(cwd)} "..."`;
}

/** As a POSIX shell takes it for one word. */
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
