import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { Answer } from '@agent-mux/api';
import { AgentMuxError, APPROVAL_MODES, type ApprovalMode, isRecord, type RunHandle } from '@agent-mux/core';
import { KeeperError } from './keeper-error.ts';
import type { KeeperSession } from './keeper-session.ts';
import { assertSteerable } from './open-run.ts';
import { parseMessage } from './parse-launch.ts';
import type { KeeperRequest, OutgoingMessage } from './protocol.ts';

/** Reply value of `send` and `steer`. `repeated`: the message was accepted before and is not sent again. */
interface Delivered {
  repeated: boolean;
}

export type SessionCommand = Exclude<KeeperRequest, { type: 'hello' | 'open' }>;

/**
 * Executes a daemon's command for a session of this keeper. Returns the reply value; throws the error to reply with.
 */
export async function executeCommand(
  client: ConfiguredClient,
  session: KeeperSession,
  command: SessionCommand,
): Promise<unknown> {
  const { handle } = session;
  switch (command.type) {
    case 'send':
      return deliver(session, parseMessage(command.message));
    case 'steer':
      return steer(client, session, parseMessage(command.message));
    case 'interrupt':
      await handle.interrupt();
      return undefined;
    case 'answer':
      answer(handle, command.requestId, command.answer);
      return undefined;
    case 'set':
      if (command.model !== undefined) await handle.setModel(command.model);
      if (command.approvalMode !== undefined) await handle.setApprovalMode(parseApprovalMode(command.approvalMode));
      return undefined;
    case 'end':
      // The end is reported when it happens.
      if (command.how === 'park') handle.end().catch(() => {});
      else handle.abort(command.reason).catch(() => {});
      return undefined;
  }
}

async function deliver(session: KeeperSession, message: OutgoingMessage): Promise<Delivered> {
  if (session.knows(message.messageId)) return { repeated: true };
  assertOpen(session);
  const { text, attachments } = message;
  await session.accept(message, 'turn', () => session.handle.send(text, { attachments }));
  return { repeated: false };
}

async function steer(client: ConfiguredClient, session: KeeperSession, message: OutgoingMessage): Promise<Delivered> {
  if (session.knows(message.messageId)) return { repeated: true };
  assertOpen(session);
  if (!session.isInTurn) throw new AgentMuxError('RUN_ENDED', 'no turn is running');
  const { handle } = session;
  assertSteerable(client, handle, message);
  // The turn may have ended in the meantime: then the message starts the next one.
  await session.accept(message, 'steer', () => handle.steer(message.text).catch(() => handle.send(message.text)));
  return { repeated: false };
}

function assertOpen(session: KeeperSession): void {
  if (session.hasEnded || session.isLeaving) throw new AgentMuxError('RUN_ENDED', 'the run has ended');
}

function answer(handle: RunHandle, requestId: string, options: Answer): void {
  const isOpen = handle.pending().some((request) => request.requestId === requestId);
  if (!isOpen)
    throw new KeeperError('REQUEST_CLOSED', `no open request "${requestId}"`, 'it was already answered or withdrawn');
  try {
    applyAnswer(handle, requestId, options);
  } catch (error) {
    if (!(error instanceof AgentMuxError) || error.code !== 'VALIDATION_ERROR') throw error;
    throw new KeeperError('NOT_OFFERED', error.message, error.hint);
  }
}

function applyAnswer(handle: RunHandle, requestId: string, options: Answer): void {
  switch (options.decision) {
    case 'allow': {
      const { optionId, updatedInput } = options;
      const changed = updatedInput === undefined ? {} : { updatedInput };
      handle.approve(requestId, { ...(optionId === undefined ? {} : { optionId }), ...changed });
      break;
    }
    case 'deny': {
      const { optionId, message } = options;
      const denial = message === undefined ? {} : { message };
      handle.deny(requestId, { ...(optionId === undefined ? {} : { optionId }), ...denial });
      break;
    }
    case 'answer':
      if (!isRecord(options.answers)) throw new KeeperError('BAD_REQUEST', '"answers" must be an object');
      handle.answer(requestId, options.answers);
      break;
    case 'decline':
      handle.answer(requestId, 'decline');
      break;
    default:
      throw new KeeperError('BAD_REQUEST', 'unknown decision');
  }
}

function parseApprovalMode(text: string): ApprovalMode {
  const mode = APPROVAL_MODES.find((known) => known === text);
  if (!mode)
    throw new KeeperError(
      'VALIDATION_ERROR',
      `"${text}" is not a valid approval mode`,
      `use ${APPROVAL_MODES.join(', ')}`,
    );
  return mode;
}
