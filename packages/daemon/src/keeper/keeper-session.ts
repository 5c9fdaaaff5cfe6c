import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { SessionEvent } from '@agent-mux/api';
import {
  type AgentEvent,
  isRecord,
  messageOf,
  mimeTypeOf,
  type RunHandle,
  type RunResult,
  TERMINAL_EVENTS,
} from '@agent-mux/core';
import { readJournal } from '../journal/read-journal.ts';
import { journalIn } from '../paths.ts';
import { detectDrift } from './detect-drift.ts';
import { failureEvent, failureResult } from './failure.ts';
import { createInterruptibleSleep } from './interruptible-sleep.ts';
import { KeeperError } from './keeper-error.ts';
import { type PreparedRun, prepareRun } from './open-run.ts';
import type { KeeperSessionInfo, LaunchSpec, OutgoingMessage } from './protocol.ts';
import { openSessionJournal, type SessionJournal } from './session-journal.ts';

/**
 * Delay for batching text deltas. Each delta alone would cost a write, a message and a transaction, so deltas that
 * follow within this time are written and sent together. The first delta and all other events are not delayed. The
 * delay grows with the rate of deltas, up to less than a screen refresh.
 */
const BATCH_MS = { least: 1, most: 8 };

/** Code of the event that revokes the acceptance of a message. */
const NOT_DELIVERED = 'message_not_delivered';

/** A session of this process: its run, its journal and its operations. */
export interface KeeperSession {
  readonly launch: LaunchSpec;
  readonly handle: RunHandle;
  readonly journal: SessionJournal;
  readonly isInTurn: boolean;
  readonly hasEnded: boolean;
  /** The session is ending: nothing can be sent to it anymore. */
  readonly isLeaving: boolean;
  /** Resolves when the last line is in the journal. Never rejects. */
  readonly over: Promise<void>;
  describe(): KeeperSessionInfo;
  /** Whether the message was accepted before. */
  knows(messageId: string): boolean;
  /**
   * Journals the message and hands it to the agent in the same tick. If the agent is already ending, throws and
   * journals that the message was not delivered.
   */
  accept(message: OutgoingMessage, delivery: 'turn' | 'steer', deliver: () => Promise<void>): Promise<void>;
}

export interface SessionListener {
  appended(sessionId: string, from: number, lines: readonly string[]): void;
  storageError(problem: string | null): void;
  /** The last line is in the journal. Called before `hasEnded` is true. */
  finished(): void;
}

/** Throws if the launch is refused; nothing is journaled or started then. */
export async function openKeeperSession(
  client: ConfiguredClient,
  launch: LaunchSpec,
  listener: SessionListener,
): Promise<KeeperSession> {
  const { sessionId } = launch;
  const prepared = await prepareRun(client, launch);
  const accepted = await findAccepted(launch);
  const { message } = launch;
  if (accepted.has(message.messageId))
    throw new KeeperError('DUPLICATE_MESSAGE', `message ${message.messageId} was already accepted`, 'read the journal');
  const journal = openSessionJournal(launch, prepared.secrets, {
    appended: (from, lines) => listener.appended(sessionId, from, lines),
    storageError: (problem) => listener.storageError(problem),
  });
  try {
    return startSession(launch, prepared, { journal, accepted, finished: listener.finished });
  } catch (error) {
    journal.close();
    throw error;
  }
}

interface Opened {
  journal: SessionJournal;
  accepted: Set<string>;
  finished(): void;
}

function startSession(
  launch: LaunchSpec,
  prepared: PreparedRun,
  { journal, accepted, finished }: Opened,
): KeeperSession {
  const { sessionId, runId, message, limits } = launch;
  let phase: KeeperSessionInfo['phase'] = 'opening';
  let turnIndex = 0;
  let turnsSeen = 0;
  let agentSessionId: string | undefined;
  let isAboveLimit = false;
  let isLeaving = false;
  /** Set when the agent resumed with another session, model or permission mode. */
  let change: { event: AgentEvent; problem: string } | undefined;

  noteMessage(message, 'turn');
  const startedAt = Date.now();
  const { handle } = prepared.start();
  // Detected before the event is read: a message to an ending run would be journaled after its end.
  handle.on('session_start', (event) => {
    const problem = detectDrift(launch, event);
    if (problem === undefined) return;
    change = { event, problem };
    isLeaving = true;
    handle.abort(problem).catch(() => {});
  });
  handle.on('*', ({ type }) => {
    if (type === 'session_end' || TERMINAL_EVENTS.has(type)) isLeaving = true;
  });

  function noteMessage({ messageId, text, attachments }: OutgoingMessage, delivery: 'turn' | 'steer'): void {
    journal.note({
      type: 'user_message',
      messageId,
      text,
      attachments: attachments.map(({ path, name, mimeType }) => ({ name, mimeType: mimeType ?? mimeTypeOf(path) })),
      delivery,
      ...envelope(delivery === 'turn' ? turnsSeen : turnIndex),
    });
    accepted.add(messageId);
  }

  function envelope(turn: number) {
    const native = agentSessionId === undefined ? {} : { sessionId: agentSessionId };
    return { agent: launch.agent, runId, ...native, turnIndex: turn, seq: 0, timestamp: Date.now() };
  }

  function updateState(event: AgentEvent): void {
    turnIndex = event.turnIndex;
    agentSessionId = event.sessionId ?? agentSessionId;
    if (event.type === 'turn_start') {
      phase = 'turn';
      turnsSeen = turnIndex + 1;
    } else if (event.type === 'turn_end') phase = 'idle';
  }

  async function accept(
    options: OutgoingMessage,
    delivery: 'turn' | 'steer',
    deliver: () => Promise<void>,
  ): Promise<void> {
    if (delivery === 'turn') prepared.checkTurn(options);
    noteMessage(options, delivery);
    try {
      await deliver();
    } catch (error) {
      accepted.delete(options.messageId);
      await journal.record([undelivered(options.messageId, messageOf(error))]);
      throw error;
    }
  }

  function undelivered(messageId: string, problem: string): AgentEvent {
    const message = `message ${messageId} did not reach the agent: ${problem}`;
    const code = NOT_DELIVERED;
    return { type: 'debug', level: 'warn', code, message, data: { messageId }, ...envelope(turnIndex) };
  }

  /** If the session opens before the first message, that message has not been sent yet when drift is detected. */
  function revokeAfter(event: AgentEvent): AgentEvent[] {
    if (event !== change?.event || !prepared.opensFirst) return [];
    accepted.delete(message.messageId);
    return [undelivered(message.messageId, change.problem)];
  }

  async function pump(): Promise<void> {
    let batchMs = 0;
    const pause = createInterruptibleSleep();
    handle.on('*', (event) => {
      if (!isDelta(event)) pause.interrupt();
    });
    for await (const batch of handle.batches()) {
      await journal.record(change ? batch.flatMap((event) => [event, ...revokeAfter(event)]) : batch);
      // The session's state follows the journal.
      for (const event of batch) updateState(event);
      if (limits.maxOutputBytes > 0 && journal.bytes > limits.maxOutputBytes && !isAboveLimit) {
        isAboveLimit = true;
        void handle.abort(`output exceeds the session limit of ${limits.maxOutputBytes} bytes`).catch(() => {});
      }
      batchMs = batch.some(isDelta) ? Math.min(batchMs * 2 || BATCH_MS.least, BATCH_MS.most) : 0;
      if (batchMs > 0) await pause.sleep(batchMs);
    }
  }

  async function runToEnd(): Promise<void> {
    let result: RunResult;
    try {
      await pump();
      result = await handle.result;
    } catch (error) {
      // The run could not be started: the engine emitted no events.
      await journal.record([failureEvent(error, envelope(0))]);
      result = failureResult(error, { handle, launch, durationMs: Date.now() - startedAt });
    }
    if (change) result = { ...result, error: { code: 'SESSION_CHANGED', message: change.problem } };
    const last: SessionEvent = { type: 'run_result', ...result, turnIndex, seq: 0, timestamp: Date.now() };
    await journal.finish(last);
  }

  const over = runToEnd()
    .catch((error: unknown) => console.error(`session ${sessionId}: ${messageOf(error)}`))
    .then(() => {
      finished();
      phase = 'ended';
    });

  return {
    launch,
    handle,
    journal,
    get isInTurn() {
      return phase === 'turn';
    },
    get isLeaving() {
      return isLeaving;
    },
    get hasEnded() {
      return phase === 'ended';
    },
    over,
    describe: () => ({
      sessionId,
      launch: launch.launch,
      runId,
      lastSeq: journal.lastSeq,
      accepted: [...accepted],
      phase,
      pending: handle.pending().map(({ requestId }) => requestId),
    }),
    knows: (messageId) => accepted.has(messageId),
    accept,
  };
}

function isDelta({ type }: AgentEvent): boolean {
  return type.endsWith('_delta');
}

/** Messages that earlier launches accepted and the daemon may not have read yet. */
async function findAccepted({ folder }: LaunchSpec): Promise<Set<string>> {
  const accepted = new Set<string>();
  for await (const { lines } of readJournal(journalIn(folder), -1))
    for (const { line } of lines) {
      if (!line.includes('messageId')) continue;
      const event: unknown = JSON.parse(line);
      if (!isRecord(event)) continue;
      if (event.type === 'user_message') accepted.add(String(event.messageId));
      else if (event.code === NOT_DELIVERED && isRecord(event.data)) accepted.delete(String(event.data.messageId));
    }
  return accepted;
}
