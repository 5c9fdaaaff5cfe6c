import type { Message, NewMessage } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import { DaemonError, refusalOf } from '../daemon-error.ts';
import { refuseElsewhere } from '../hooks/by-hand.ts';
import type { Who } from '../service.ts';
import { assertTakesMessages, sessionEnded } from './can-continue.ts';
import { deliverNext } from './deliver.ts';
import { type Desk, tellChange } from './desk.ts';
import { rememberEnvironment } from './environment.ts';
import { findSession } from './find.ts';
import { createMessageId } from './ids.ts';
import { isKeeperGone } from './keeper-link.ts';

/** A message is a row before it is sent; the same id again is the same message. */
export async function sendMessage(desk: Desk, id: string, given: NewMessage, who: Who): Promise<Message> {
  const found = await findSession(desk, id);
  return desk.serial.run(found.id, async () => {
    const { id: messageId = createMessageId(), text, mode = 'queue', files = [], env } = given;
    const before = await desk.store.getMessage(found.id, messageId);
    if (before) return before;
    const session = await refuseElsewhere(desk, await findSession(desk, found.id));
    if (session.isTerminated) throw await sessionEnded(desk, session);
    if (mode !== 'steer') await assertTakesMessages(desk, session);
    if (text.trim() === '' && files.length === 0)
      throw new DaemonError('VALIDATION_ERROR', 'there is nothing in the message');
    if (env) rememberEnvironment(desk, session.id, { env });
    const live = desk.live.get(session.id);
    const isBusy = live !== undefined && (live.projector.state.turn || live.inFlight !== null);
    if (mode === 'reject' && (isBusy || session.queuedMessages > 0))
      throw new DaemonError('TURN_RUNNING', `session ${session.id} is at work`, {
        hint: 'wait for the end of its turn, or send with mode "queue" or "steer"',
      });
    if (mode === 'steer') return steer(desk, session.id, { id: messageId, text, files }, who);
    await addMessage(desk, session.id, { id: messageId, text, files }, mode, who);
    await deliverNext(desk, session.id);
    if (mode === 'reject') await refuseWhileHeld(desk, session.id, messageId);
    return readBack(desk, session.id, messageId);
  });
}

/** What must not wait does not wait for a limit either. */
async function refuseWhileHeld(desk: Desk, id: string, messageId: string): Promise<void> {
  const waitsFor = (await findSession(desk, id)).waitsFor;
  if (waitsFor === null || (await desk.store.getMessage(id, messageId))?.state !== 'queued') return;
  const error = { code: 'LIMITED', message: waitsFor.message, hint: 'send it with mode "queue", and it waits' };
  await desk.store.updateMessage(id, messageId, { state: 'failed', error, endedAt: desk.now() });
  await desk.store.updateSession(id, { waitsFor: null });
  tellChange(desk);
}

/** While it waits it is taken back; what is on its way cannot be. One that did not arrive, or perhaps, is put aside. */
export async function cancelMessage(desk: Desk, id: string, messageId: string, who: Who): Promise<Message> {
  const { id: sessionId } = await findSession(desk, id);
  return desk.serial.run(sessionId, async () => {
    const message = await desk.store.getMessage(sessionId, messageId);
    if (!message) throw new DaemonError('NOT_FOUND', `session ${sessionId} has no message "${messageId}"`);
    if (message.state === 'dismissed') return message;
    const { state, action } = putAside(message);
    const change = { state, endedAt: desk.now(), ...(desk.settings.storeActivity ? {} : { text: '' }) };
    const changed = await desk.store.updateMessage(sessionId, messageId, change);
    await desk.store.appendAudit({ time: desk.now(), who, action, sessionId, detail: { messageId } });
    tellChange(desk);
    return changed ?? message;
  });
}

function putAside({ state }: Message): { state: Message['state']; action: string } {
  if (state === 'queued') return { state: 'cancelled', action: 'message.cancel' };
  if (state === 'failed' || state === 'unknown') return { state: 'dismissed', action: 'message.dismiss' };
  throw new DaemonError('MESSAGE_GONE', `the message is ${state}, and only a queued one can be cancelled`, {
    hint: 'interrupt stops the turn that it has begun',
  });
}

export async function addMessage(
  desk: Desk,
  sessionId: string,
  { id, text, files }: Pick<Message, 'id' | 'text' | 'files'>,
  mode: Message['mode'],
  by: Who,
): Promise<void> {
  const createdAt = desk.now();
  const rest = { state: 'queued', error: null, acceptedAt: null, endedAt: null } as const;
  await desk.store.insertMessage({ id, sessionId, text, files, mode, by, createdAt, ...rest });
  tellChange(desk);
}

async function steer(
  desk: Desk,
  id: string,
  message: Pick<Message, 'id' | 'text' | 'files'>,
  who: Who,
): Promise<Message> {
  const live = desk.live.get(id);
  const noTurn = new DaemonError('NO_TURN', `no turn of session ${id} is running that could be steered`, {
    hint: 'send it as a message of its own (mode "queue")',
  });
  if (!live?.link || !live.projector.state.turn) throw noTurn;
  if (message.files.length > 0) throw new DaemonError('VALIDATION_ERROR', 'a running turn takes words only, no files');
  await addMessage(desk, id, message, 'steer', who);
  try {
    const delivery = { messageId: message.id, text: message.text, attachments: [] };
    await live.link.order({ type: 'steer', sessionId: id, message: delivery });
    await desk.store.updateMessage(id, message.id, { state: 'accepted', acceptedAt: desk.now() });
  } catch (thrown) {
    const error = isKeeperGone(thrown) ? noTurn : thrown;
    const fault = error instanceof DaemonError ? error.toFault() : { code: 'AGENT_ERROR', message: messageOf(error) };
    await desk.store.updateMessage(id, message.id, { state: 'failed', error: fault, endedAt: desk.now() });
    throw error;
  } finally {
    tellChange(desk);
  }
  return readBack(desk, id, message.id);
}

async function readBack(desk: Desk, sessionId: string, messageId: string): Promise<Message> {
  const message = await desk.store.getMessage(sessionId, messageId);
  if (!message) throw new DaemonError('NOT_FOUND', `the session ${sessionId} was removed meanwhile`);
  if (message.state === 'failed' && message.error) throw refusalOf(message.error);
  return message;
}
