import type { Answer, Message, Request, Session, SessionPatch } from '@agent-mux/api/browser';
import { call } from '../data/call.ts';
import { idOfNext } from '../data/message.logic.ts';
import { takeMessages, takeRequest, takeSession } from '../data/rows.ts';
import { tell, tellFault } from './toasts.tsx';

/** Orders to the daemon: each shows its effect at once, and says it where it was refused. True: it was done. */
async function order(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    tellFault(error);
    return false;
  }
}

export function answerRequest({ id }: Pick<Request, 'id'>, answer: Answer): Promise<boolean> {
  return order(async () => takeRequest(await call('answerRequest', { params: { id }, body: answer })));
}

export function postponeRequest({ id }: Pick<Request, 'id'>): Promise<boolean> {
  return order(async () => {
    takeRequest(await call('postponeRequest', { params: { id } }));
    tell('Put off for an hour', { hint: 'it stays open, and can be answered in its session' });
  });
}

export function changeSession(id: string, patch: SessionPatch): Promise<boolean> {
  return order(async () => takeSession(await call('changeSession', { params: { id }, body: patch })));
}

/** Takes a failure or limit out of every inbox, until there is another. */
export function dismiss({ id, activitySince }: Pick<Session, 'id' | 'activitySince'>): Promise<boolean> {
  return changeSession(id, { dismissed: activitySince });
}

/** What becomes of a session that a limit has stopped. */
export function orderLimit(verb: 'cancelLimit' | 'continueLimit', id: string): Promise<boolean> {
  return order(async () => takeSession(await call(verb, { params: { id } })));
}

type Verb = 'interruptSession' | 'stopSession' | 'parkSession' | 'restoreSession';

export function orderSession(verb: Verb, id: string): Promise<boolean> {
  return order(async () => takeSession(await call(verb, { params: { id } })));
}

/** The new session; undefined where there is none. */
export async function forkSession(id: string): Promise<Session | undefined> {
  let made: Session | undefined;
  await order(async () => {
    made = await call('forkSession', { params: { id } });
    takeSession(made);
  });
  return made;
}

export function removeSession(id: string): Promise<boolean> {
  return order(() => call('removeSession', { params: { id } }));
}

export function cancelMessage(id: string, messageId: string): Promise<boolean> {
  return order(async () => {
    takeMessages(id, [await call('cancelMessage', { params: { id, messageId } })]);
  });
}

/** The same words and files as a message of its own, and the old one is put aside. However often it is asked for, it is sent once. */
export function sendAgain({ id: sessionId, isTerminated }: Session, { id, text, files }: Message): Promise<boolean> {
  return order(async () => {
    const params = { id: sessionId };
    const again = idOfNext(id);
    if (isTerminated) takeSession(await call('restoreSession', { params }));
    try {
      const sent = await call('sendMessage', { params, body: { id: again, text, files } });
      takeMessages(sessionId, [sent]);
    } catch (error) {
      // Where it was kept and refused, the words are in the new one: that stands for both.
      const { messages } = await call('listMessages', { params });
      if (!messages.some((each) => each.id === again)) throw error;
      await call('cancelMessage', { params: { id: sessionId, messageId: id } });
      throw error;
    }
    takeMessages(sessionId, [await call('cancelMessage', { params: { id: sessionId, messageId: id } })]);
  });
}
