import type { Message, NewMessage } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import { DaemonError, toDaemonError } from '../daemon-error.ts';
import { assertNotInTerminal } from '../hooks/unmanaged.ts';
import type { Actor } from '../service.ts';
import { assertAcceptsMessages, sessionEnded } from './can-continue.ts';
import { type DaemonContext, notifyChange } from './daemon-context.ts';
import { deliverNext } from './deliver.ts';
import { rememberEnvironment } from './environment.ts';
import { findSession } from './find.ts';
import { createMessageId } from './ids.ts';
import { isKeeperGone } from './keeper-link.ts';

/** Stores the message before sending it; idempotent by message id. */
export async function sendMessage(ctx: DaemonContext, id: string, options: NewMessage, actor: Actor): Promise<Message> {
  const found = await findSession(ctx, id);
  return ctx.mutex.run(found.id, async () => {
    const { id: messageId = createMessageId(), text, mode = 'queue', files = [], env } = options;
    const before = await ctx.store.getMessage(found.id, messageId);
    if (before) return before;
    const session = await assertNotInTerminal(ctx, await findSession(ctx, found.id));
    if (session.isTerminated) throw await sessionEnded(ctx, session);
    if (mode !== 'steer') await assertAcceptsMessages(ctx, session);
    if (text.trim() === '' && files.length === 0) throw new DaemonError('VALIDATION_ERROR', 'the message is empty');
    if (env) rememberEnvironment(ctx, session.id, { env });
    const live = ctx.live.get(session.id);
    const isBusy = live !== undefined && (live.projector.state.turn || live.inFlight !== null);
    if (mode === 'reject' && (isBusy || session.queuedMessages > 0))
      throw new DaemonError('TURN_RUNNING', `session ${session.id} is running a turn`, {
        hint: 'wait for the end of its turn, or send with mode "queue" or "steer"',
      });
    if (mode === 'steer') return steer(ctx, session.id, { id: messageId, text, files }, actor);
    await addMessage(ctx, session.id, { id: messageId, text, files }, mode, actor);
    await deliverNext(ctx, session.id);
    if (mode === 'reject') await rejectIfLimited(ctx, session.id, messageId);
    return readBack(ctx, session.id, messageId);
  });
}

/** With mode "reject" a message does not wait for a limit either. */
async function rejectIfLimited(ctx: DaemonContext, id: string, messageId: string): Promise<void> {
  const waitingFor = (await findSession(ctx, id)).waitingFor;
  if (waitingFor === null || (await ctx.store.getMessage(id, messageId))?.state !== 'queued') return;
  const error = { code: 'LIMITED', message: waitingFor.message, hint: 'send it with mode "queue" to wait' };
  await ctx.store.updateMessage(id, messageId, { state: 'failed', error, endedAt: ctx.now() });
  await ctx.store.updateSession(id, { waitingFor: null });
  notifyChange(ctx);
}

/** Cancels a queued message and dismisses a failed or unknown one; a message that was accepted cannot be cancelled. */
export async function cancelMessage(ctx: DaemonContext, id: string, messageId: string, actor: Actor): Promise<Message> {
  const { id: sessionId } = await findSession(ctx, id);
  return ctx.mutex.run(sessionId, async () => {
    const message = await ctx.store.getMessage(sessionId, messageId);
    if (!message) throw new DaemonError('NOT_FOUND', `message "${messageId}" not found in session ${sessionId}`);
    if (message.state === 'dismissed') return message;
    const { state, action } = cancelOrDismiss(message);
    const change = { state, endedAt: ctx.now(), ...(ctx.settings.storeContent ? {} : { text: '' }) };
    const changed = await ctx.store.updateMessage(sessionId, messageId, change);
    await ctx.store.appendAudit({ timestamp: ctx.now(), actor, action, sessionId, detail: { messageId } });
    notifyChange(ctx);
    return changed ?? message;
  });
}

function cancelOrDismiss({ state }: Message): { state: Message['state']; action: string } {
  if (state === 'queued') return { state: 'cancelled', action: 'message.cancel' };
  if (state === 'failed' || state === 'unknown') return { state: 'dismissed', action: 'message.dismiss' };
  throw new DaemonError('MESSAGE_NOT_QUEUED', `the message is ${state}; only a queued one can be cancelled`, {
    hint: 'interrupt the session to stop the turn that it started',
  });
}

export async function addMessage(
  ctx: DaemonContext,
  sessionId: string,
  { id, text, files }: Pick<Message, 'id' | 'text' | 'files'>,
  mode: Message['mode'],
  by: Actor,
): Promise<void> {
  const createdAt = ctx.now();
  const rest = { state: 'queued', error: null, acceptedAt: null, endedAt: null } as const;
  await ctx.store.insertMessage({ id, sessionId, text, files, mode, by, createdAt, ...rest });
  notifyChange(ctx);
}

async function steer(
  ctx: DaemonContext,
  id: string,
  message: Pick<Message, 'id' | 'text' | 'files'>,
  actor: Actor,
): Promise<Message> {
  const live = ctx.live.get(id);
  const noTurn = new DaemonError('NO_ACTIVE_TURN', `session ${id} has no running turn to steer`, {
    hint: 'send it as a separate message (mode "queue")',
  });
  if (!live?.link || !live.projector.state.turn) throw noTurn;
  if (message.files.length > 0) throw new DaemonError('VALIDATION_ERROR', 'files cannot be added to a running turn');
  await addMessage(ctx, id, message, 'steer', actor);
  try {
    const delivery = { messageId: message.id, text: message.text, attachments: [] };
    await live.link.request({ type: 'steer', sessionId: id, message: delivery });
    await ctx.store.updateMessage(id, message.id, { state: 'accepted', acceptedAt: ctx.now() });
  } catch (thrown) {
    const error = isKeeperGone(thrown) ? noTurn : thrown;
    const issue =
      error instanceof DaemonError ? error.toErrorInfo() : { code: 'AGENT_ERROR', message: messageOf(error) };
    await ctx.store.updateMessage(id, message.id, { state: 'failed', error: issue, endedAt: ctx.now() });
    throw error;
  } finally {
    notifyChange(ctx);
  }
  return readBack(ctx, id, message.id);
}

async function readBack(ctx: DaemonContext, sessionId: string, messageId: string): Promise<Message> {
  const message = await ctx.store.getMessage(sessionId, messageId);
  if (!message) throw new DaemonError('NOT_FOUND', `session ${sessionId} was deleted in the meantime`);
  if (message.state === 'failed' && message.error) throw toDaemonError(message.error);
  return message;
}
