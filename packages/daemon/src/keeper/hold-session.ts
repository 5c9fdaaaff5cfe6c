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
import { journalIn } from '../places.ts';
import { findChange } from './compare-report.ts';
import { failureEvent, failureResult } from './failure.ts';
import { KeeperError } from './keeper-error.ts';
import { type PreparedRun, prepareRun } from './open-run.ts';
import { makePause } from './pause.ts';
import type { Delivery, HeldSession, Launch } from './protocol.ts';
import { openSessionJournal, type SessionJournal } from './session-journal.ts';

/**
 * An agent says a word at a time, and each of them alone would cost a write, a message and a transaction: what follows a word
 * within this time is written, and told to the daemon, together. The first word does not wait, and nothing else than words does;
 * the faster they come, the more go together, up to less than a screen takes to show them.
 */
const TOGETHER_MS = { least: 1, most: 8 };

/** The code of the event that takes an acceptance back. */
const NOT_DELIVERED = 'message_not_delivered';

/** A session in this process: its run, its journal, and what may be asked of it. */
export interface Held {
  readonly launch: Launch;
  readonly handle: RunHandle;
  readonly journal: SessionJournal;
  readonly isInTurn: boolean;
  readonly hasEnded: boolean;
  /** Its end has begun: nothing can be sent to it any more. */
  readonly isLeaving: boolean;
  /** Resolves when its last line stands in the journal. Never rejects. */
  readonly over: Promise<void>;
  describe(): HeldSession;
  /** Whether it was accepted before. */
  knows(messageId: string): boolean;
  /**
   * Journals the message and hands it to the agent in the same moment: nothing can happen in between. Throws where the agent was
   * leaving, and says so in the journal.
   */
  accept(message: Delivery, delivery: 'turn' | 'steer', hand: () => Promise<void>): Promise<void>;
}

export interface SessionEars {
  appended(sessionId: string, from: number, lines: readonly string[]): void;
  trouble(problem: string | null): void;
  /** The last line is in the journal. Called before `hasEnded` is true. */
  finished(): void;
}

/** Throws why the launch is refused; then nothing was journaled and nothing started. */
export async function holdSession(client: ConfiguredClient, launch: Launch, ears: SessionEars): Promise<Held> {
  const { sessionId } = launch;
  const prepared = await prepareRun(client, launch);
  const accepted = await findAccepted(launch);
  const { message } = launch;
  if (accepted.has(message.messageId))
    throw new KeeperError('MESSAGE_KNOWN', `message ${message.messageId} was accepted before`, 'read the journal');
  const journal = openSessionJournal(launch, prepared.secrets, {
    appended: (from, lines) => ears.appended(sessionId, from, lines),
    trouble: (problem) => ears.trouble(problem),
  });
  try {
    return begin(launch, prepared, { journal, accepted, finished: ears.finished });
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

function begin(launch: Launch, prepared: PreparedRun, { journal, accepted, finished }: Opened): Held {
  const { sessionId, runId, message, limits } = launch;
  let phase: HeldSession['phase'] = 'opening';
  let turnIndex = 0;
  let turnsSeen = 0;
  let nativeId: string | undefined;
  let isAboveLimit = false;
  let isLeaving = false;
  /** It came back as another than it was. */
  let change: { event: AgentEvent; problem: string } | undefined;

  noteMessage(message, 'turn');
  const startedAt = Date.now();
  const { handle } = prepared.start();
  // Known before it is read: what is sent to a run that is leaving would be journaled behind its end.
  handle.on('session_start', (event) => {
    const problem = findChange(launch, event);
    if (problem === undefined) return;
    change = { event, problem };
    isLeaving = true;
    handle.abort(problem).catch(() => {});
  });
  handle.on('*', ({ type }) => {
    if (type === 'session_end' || TERMINAL_EVENTS.has(type)) isLeaving = true;
  });

  function noteMessage({ messageId, text, attachments }: Delivery, delivery: 'turn' | 'steer'): void {
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
    const native = nativeId === undefined ? {} : { sessionId: nativeId };
    return { agent: launch.agent, runId, ...native, turnIndex: turn, seq: 0, timestamp: Date.now() };
  }

  function notice(event: AgentEvent): void {
    turnIndex = event.turnIndex;
    nativeId = event.sessionId ?? nativeId;
    if (event.type === 'turn_start') {
      phase = 'turn';
      turnsSeen = turnIndex + 1;
    } else if (event.type === 'turn_end') phase = 'idle';
  }

  async function accept(given: Delivery, delivery: 'turn' | 'steer', hand: () => Promise<void>): Promise<void> {
    if (delivery === 'turn') prepared.checkTurn(given);
    noteMessage(given, delivery);
    try {
      await hand();
    } catch (error) {
      accepted.delete(given.messageId);
      await journal.record([undelivered(given.messageId, messageOf(error))]);
      throw error;
    }
  }

  function undelivered(messageId: string, problem: string): AgentEvent {
    const message = `message ${messageId} did not reach the agent: ${problem}`;
    const code = NOT_DELIVERED;
    return { type: 'debug', level: 'warn', code, message, data: { messageId }, ...envelope(turnIndex) };
  }

  /** Where the session is opened first, the message has not left yet when it turns out to be another one. */
  function takeBackAfter(event: AgentEvent): AgentEvent[] {
    if (event !== change?.event || !prepared.opensFirst) return [];
    accepted.delete(message.messageId);
    return [undelivered(message.messageId, change.problem)];
  }

  async function pump(): Promise<void> {
    let togetherMs = 0;
    const pause = makePause();
    handle.on('*', (event) => {
      if (!isWord(event)) pause.end();
    });
    for await (const batch of handle.batches()) {
      await journal.record(change ? batch.flatMap((event) => [event, ...takeBackAfter(event)]) : batch);
      // What is said of the session is what stands in the journal.
      for (const event of batch) notice(event);
      if (limits.maxOutputBytes > 0 && journal.bytes > limits.maxOutputBytes && !isAboveLimit) {
        isAboveLimit = true;
        void handle
          .abort(`it has told more than ${limits.maxOutputBytes} bytes, the limit of this session`)
          .catch(() => {});
      }
      togetherMs = batch.some(isWord) ? Math.min(togetherMs * 2 || TOGETHER_MS.least, TOGETHER_MS.most) : 0;
      if (togetherMs > 0) await pause.take(togetherMs);
    }
  }

  async function seeThrough(): Promise<void> {
    let result: RunResult;
    try {
      await pump();
      result = await handle.result;
    } catch (error) {
      // It could not be started: the engine has told nothing at all.
      await journal.record([failureEvent(error, envelope(0))]);
      result = failureResult(error, { handle, launch, durationMs: Date.now() - startedAt });
    }
    if (change) result = { ...result, error: { code: 'SESSION_CHANGED', message: change.problem } };
    const last: SessionEvent = { type: 'run_result', ...result, turnIndex, seq: 0, timestamp: Date.now() };
    await journal.finish(last);
  }

  const over = seeThrough()
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

function isWord({ type }: AgentEvent): boolean {
  return type.endsWith('_delta');
}

/** What earlier launches of the session have accepted and the daemon may not have read yet. */
async function findAccepted({ folder }: Launch): Promise<Set<string>> {
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
