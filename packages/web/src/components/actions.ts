import type { Answer, Message, Request, Session, SessionPatch } from '@agent-mux/api/browser';
import { call } from '../data/call.ts';
import { resendIdOf } from '../data/message.logic.ts';
import { applyMessages, applyRequest, applySession } from '../data/rows.ts';
import { showErrorToast, showToast } from './toasts.tsx';

/** Runs a daemon action: applies its result at once, or shows an error toast. Resolves to true on success. */
async function run(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    showErrorToast(error);
    return false;
  }
}

export function answerRequest({ id }: Pick<Request, 'id'>, answer: Answer): Promise<boolean> {
  return run(async () => applyRequest(await call('answerRequest', { params: { id }, body: answer })));
}

export function snoozeRequest({ id }: Pick<Request, 'id'>): Promise<boolean> {
  return run(async () => {
    applyRequest(await call('snoozeRequest', { params: { id } }));
    showToast('Snoozed for an hour', { hint: 'It stays open: answer it in its session' });
  });
}

export function changeSession(id: string, patch: SessionPatch): Promise<boolean> {
  return run(async () => applySession(await call('updateSession', { params: { id }, body: patch })));
}

/** Hides a failure or limit from every inbox until the next one occurs. */
export function dismiss({ id, activitySince }: Pick<Session, 'id' | 'activitySince'>): Promise<boolean> {
  return changeSession(id, { dismissed: activitySince });
}

/** Decides how a limited session proceeds. */
export function runLimitAction(verb: 'cancelContinuation' | 'continueSession', id: string): Promise<boolean> {
  return run(async () => applySession(await call(verb, { params: { id } })));
}

type Verb = 'interruptSession' | 'stopSession' | 'parkSession' | 'restoreSession';

export function runSessionAction(verb: Verb, id: string): Promise<boolean> {
  return run(async () => applySession(await call(verb, { params: { id } })));
}

/** Returns the new session, or undefined if the fork failed. */
export async function forkSession(id: string): Promise<Session | undefined> {
  let fork: Session | undefined;
  await run(async () => {
    fork = await call('forkSession', { params: { id } });
    applySession(fork);
  });
  return fork;
}

export function removeSession(id: string): Promise<boolean> {
  return run(() => call('removeSession', { params: { id } }));
}

export function cancelMessage(id: string, messageId: string): Promise<boolean> {
  return run(async () => {
    applyMessages(id, [await call('cancelMessage', { params: { id, messageId } })]);
  });
}

/**
 * Sends the same text and files as a new message and dismisses the old one. Idempotent: repeated calls send it once.
 */
export function sendAgain({ id: sessionId, isTerminated }: Session, { id, text, files }: Message): Promise<boolean> {
  return run(async () => {
    const params = { id: sessionId };
    const again = resendIdOf(id);
    if (isTerminated) applySession(await call('restoreSession', { params }));
    try {
      const sent = await call('sendMessage', { params, body: { id: again, text, files } });
      applyMessages(sessionId, [sent]);
    } catch (error) {
      // The daemon may have stored the new message before it failed: then the new one replaces the old one.
      const { messages } = await call('listMessages', { params });
      if (!messages.some((each) => each.id === again)) throw error;
      await call('cancelMessage', { params: { id: sessionId, messageId: id } });
      throw error;
    }
    applyMessages(sessionId, [await call('cancelMessage', { params: { id: sessionId, messageId: id } })]);
  });
}
