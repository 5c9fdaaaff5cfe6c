import type { Writable } from 'node:stream';
import type { KeeperMessage, LaunchSpec } from './protocol.ts';
import type { SessionJournal } from './session-journal.ts';

/** Maximum journal bytes per message. */
const CHUNK_BYTES = 256 * 1024;

/** The session whose events are sent. */
interface PushSource {
  readonly launch: Pick<LaunchSpec, 'sessionId' | 'launch'>;
  readonly journal: Pick<SessionJournal, 'read' | 'lastSeq'>;
  readonly hasEnded: boolean;
}

/** Tracks which events of one session have been sent to the daemon. */
interface Progress {
  held: PushSource;
  /** Seq of the next event to send. */
  next: number;
  /** Lines appended since then, sent in the next tick. */
  fresh: string[];
  isEndSent: boolean;
}

/**
 * Sends journal lines to one daemon. Nothing is buffered for a daemon that does not read: sending continues from the
 * journal when it reads again.
 */
export interface Pusher {
  /** Sends the events after this seq. Has no effect on a session that is already being sent. */
  add(held: PushSource, after: number): void;
  /** Sends lines that were just appended in the next tick, without reading them back. */
  appended(sessionId: string, from: number, lines: readonly string[]): void;
  /** Continues sending; call it when a session ends or the socket drains. */
  flush(): void;
  /** Everything has been sent, including the ends of sessions. */
  readonly isDone: boolean;
}

export function createPusher(socket: Writable): Pusher {
  const sessions = new Map<string, Progress>();
  let isFlushScheduled = false;

  function send(message: KeeperMessage): void {
    socket.write(`${JSON.stringify(message)}\n`);
  }

  function canSend(): boolean {
    return !socket.destroyed && !socket.writableNeedDrain;
  }

  /** Sends one chunk of each session in turn, so that no session blocks another. */
  function flush(): void {
    let hasSent = true;
    while (hasSent) {
      hasSent = false;
      for (const progress of sessions.values()) {
        if (!canSend()) return;
        if (sendChunk(progress)) hasSent = true;
      }
    }
  }

  function sendFresh(): void {
    isFlushScheduled = false;
    for (const progress of sessions.values()) {
      const { held, next: from, fresh: lines } = progress;
      if (lines.length > 0 && canSend()) sendLines(progress, held.launch, from, lines);
    }
  }

  function sendLines(progress: Progress, of: PushSource['launch'], from: number, lines: readonly string[]): void {
    const { sessionId, launch } = of;
    progress.next = from + lines.length;
    progress.fresh = [];
    send({ type: 'events', sessionId, launch, from, lines });
  }

  function sendChunk(progress: Progress): boolean {
    const { held, next } = progress;
    const { from, lines } = held.journal.read(next - 1, CHUNK_BYTES);
    if (lines.length > 0) {
      sendLines(progress, held.launch, from, lines);
      return true;
    }
    if (!held.hasEnded || progress.isEndSent) return false;
    progress.isEndSent = true;
    const { sessionId, launch } = held.launch;
    send({ type: 'ended', sessionId, launch, lastSeq: held.journal.lastSeq });
    return true;
  }

  return {
    add(held, after) {
      if (sessions.get(held.launch.sessionId)?.held === held) return;
      sessions.set(held.launch.sessionId, { held, next: after + 1, fresh: [], isEndSent: false });
      flush();
    },
    appended(sessionId, from, lines) {
      const progress = sessions.get(sessionId);
      if (!progress || progress.next + progress.fresh.length !== from || !canSend()) return;
      progress.fresh.push(...lines);
      // Deferred so that an accepted message reaches the agent first: writing to the socket may block on the daemon.
      if (!isFlushScheduled) setImmediate(sendFresh);
      isFlushScheduled = true;
    },
    flush,
    get isDone() {
      return [...sessions.values()].every(({ isEndSent }) => isEndSent);
    },
  };
}
