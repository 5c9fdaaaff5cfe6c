import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { Answer } from '@agent-mux/api';
import { AgentMuxError, APPROVAL_MODES, type ApprovalMode, isRecord, type RunHandle } from '@agent-mux/core';
import { readDelivery } from './check-launch.ts';
import type { Held } from './hold-session.ts';
import { KeeperError } from './keeper-error.ts';
import { assertSteerable } from './open-run.ts';
import type { Delivery, Order } from './protocol.ts';

/** The value of the reply to `send` and `steer`; `repeated`: it was accepted before, and is not sent again. */
interface Delivered {
  repeated: boolean;
}

export type SessionOrder = Exclude<Order, { type: 'hello' | 'open' }>;

/** What a daemon orders for a session that is held here. The value is that of the reply; throws the refusal. */
export async function carryOut(client: ConfiguredClient, held: Held, order: SessionOrder): Promise<unknown> {
  const { handle } = held;
  switch (order.type) {
    case 'send':
      return deliver(held, readDelivery(order.message));
    case 'steer':
      return steer(client, held, readDelivery(order.message));
    case 'interrupt':
      await handle.interrupt();
      return undefined;
    case 'answer':
      answer(handle, order.requestId, order.answer);
      return undefined;
    case 'set':
      if (order.model !== undefined) await handle.setModel(order.model);
      if (order.approvalMode !== undefined) await handle.setApprovalMode(readApprovalMode(order.approvalMode));
      return undefined;
    case 'end':
      // Its end is told when it has come.
      if (order.how === 'park') handle.end().catch(() => {});
      else handle.abort(order.reason).catch(() => {});
      return undefined;
  }
}

async function deliver(held: Held, message: Delivery): Promise<Delivered> {
  if (held.knows(message.messageId)) return { repeated: true };
  mustBeOpen(held);
  const { text, attachments } = message;
  await held.accept(message, 'turn', () => held.handle.send(text, { attachments }));
  return { repeated: false };
}

async function steer(client: ConfiguredClient, held: Held, message: Delivery): Promise<Delivered> {
  if (held.knows(message.messageId)) return { repeated: true };
  mustBeOpen(held);
  if (!held.isInTurn) throw new AgentMuxError('RUN_ENDED', 'no turn is running that could be steered');
  const { handle } = held;
  assertSteerable(client, handle, message);
  // The turn may have ended without our having read it: then the message is the next one.
  await held.accept(message, 'steer', () => handle.steer(message.text).catch(() => handle.send(message.text)));
  return { repeated: false };
}

function mustBeOpen(held: Held): void {
  if (held.hasEnded || held.isLeaving) throw new AgentMuxError('RUN_ENDED', 'the run has ended');
}

function answer(handle: RunHandle, requestId: string, given: Answer): void {
  const isOpen = handle.pending().some((request) => request.requestId === requestId);
  if (!isOpen)
    throw new KeeperError('REQUEST_CLOSED', `no open request "${requestId}"`, 'it was answered or taken back');
  try {
    give(handle, requestId, given);
  } catch (error) {
    if (!(error instanceof AgentMuxError) || error.code !== 'VALIDATION_ERROR') throw error;
    throw new KeeperError('NOT_OFFERED', error.message, error.hint);
  }
}

function give(handle: RunHandle, requestId: string, given: Answer): void {
  switch (given.decision) {
    case 'allow': {
      const { optionId, updatedInput } = given;
      const changed = updatedInput === undefined ? {} : { updatedInput };
      handle.approve(requestId, { ...(optionId === undefined ? {} : { optionId }), ...changed });
      break;
    }
    case 'deny': {
      const { optionId, message } = given;
      const said = message === undefined ? {} : { message };
      handle.deny(requestId, { ...(optionId === undefined ? {} : { optionId }), ...said });
      break;
    }
    case 'answer':
      if (!isRecord(given.answers)) throw new KeeperError('BAD_REQUEST', 'an answer needs answers');
      handle.answer(requestId, given.answers);
      break;
    case 'decline':
      handle.answer(requestId, 'decline');
      break;
    default:
      throw new KeeperError('BAD_REQUEST', 'no such decision');
  }
}

function readApprovalMode(word: string): ApprovalMode {
  const mode = APPROVAL_MODES.find((known) => known === word);
  if (!mode) throw new KeeperError('VALIDATION_ERROR', `"${word}" is no approval mode`, APPROVAL_MODES.join(', '));
  return mode;
}
