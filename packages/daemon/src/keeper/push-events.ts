import type { Writable } from 'node:stream';
import type { FromKeeper, Launch } from './protocol.ts';
import type { SessionJournal } from './session-journal.ts';

/** So much of a journal is on its way at a time. */
const PIECE_BYTES = 256 * 1024;

/** What is told of. */
interface Told {
  readonly launch: Pick<Launch, 'sessionId' | 'launch'>;
  readonly journal: Pick<SessionJournal, 'read' | 'lastSeq'>;
  readonly hasEnded: boolean;
}

/** What one daemon has been told of one session. */
interface Progress {
  held: Told;
  /** The next that it gets. */
  next: number;
  /** What has been appended from there on, and is told in a moment. */
  fresh: string[];
  toldEnd: boolean;
}

/**
 * Tells one daemon what stands in the journals. Nothing is put aside for a daemon that does not read: when it reads again,
 * it is told on from the journal.
 */
export interface Pusher {
  /** From the event after this seq on; one that it is told of already goes on as it does. */
  add(held: Told, after: number): void;
  /** These lines have just been appended: they need not be read again. Told in a moment. */
  appended(sessionId: string, from: number, lines: readonly string[]): void;
  /** The session has ended, or the socket takes more. */
  goOn(): void;
  /** All has been told, ends too. */
  readonly isDone: boolean;
}

export function makePusher(socket: Writable): Pusher {
  const sessions = new Map<string, Progress>();
  let isAboutToTell = false;

  function tell(message: FromKeeper): void {
    socket.write(`${JSON.stringify(message)}\n`);
  }

  function canTell(): boolean {
    return !socket.destroyed && !socket.writableNeedDrain;
  }

  /** A piece of each in turn, so that no session waits for another. */
  function goOn(): void {
    let told = true;
    while (told) {
      told = false;
      for (const progress of sessions.values()) {
        if (!canTell()) return;
        if (tellPiece(progress)) told = true;
      }
    }
  }

  function tellFresh(): void {
    isAboutToTell = false;
    for (const progress of sessions.values()) {
      const { held, next: from, fresh: lines } = progress;
      if (lines.length > 0 && canTell()) tellLines(progress, held.launch, from, lines);
    }
  }

  function tellLines(progress: Progress, of: Told['launch'], from: number, lines: readonly string[]): void {
    const { sessionId, launch } = of;
    progress.next = from + lines.length;
    progress.fresh = [];
    tell({ type: 'events', sessionId, launch, from, lines });
  }

  function tellPiece(progress: Progress): boolean {
    const { held, next } = progress;
    const { from, lines } = held.journal.read(next - 1, PIECE_BYTES);
    if (lines.length > 0) {
      tellLines(progress, held.launch, from, lines);
      return true;
    }
    if (!held.hasEnded || progress.toldEnd) return false;
    progress.toldEnd = true;
    const { sessionId, launch } = held.launch;
    tell({ type: 'ended', sessionId, launch, lastSeq: held.journal.lastSeq });
    return true;
  }

  return {
    add(held, after) {
      if (sessions.get(held.launch.sessionId)?.held === held) return;
      sessions.set(held.launch.sessionId, { held, next: after + 1, fresh: [], toldEnd: false });
      goOn();
    },
    appended(sessionId, from, lines) {
      const progress = sessions.get(sessionId);
      if (!progress || progress.next + progress.fresh.length !== from || !canTell()) return;
      progress.fresh.push(...lines);
      // What was accepted goes to the agent first: whoever writes to a socket may have to wait for the one who reads it.
      if (!isAboutToTell) setImmediate(tellFresh);
      isAboutToTell = true;
    },
    goOn,
    get isDone() {
      return [...sessions.values()].every(({ toldEnd }) => toldEnd);
    },
  };
}
