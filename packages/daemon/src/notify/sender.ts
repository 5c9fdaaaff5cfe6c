import { messageOf } from '@agent-mux/core';
import type { Target } from './notify-settings.ts';
import type { Entry, Outbox } from './outbox.ts';
import { sendTo } from './send.ts';
import { SendError } from './send-error.ts';

/** Maximum number of attempts for a webhook. */
const MAX_ATTEMPTS = 6;
/** Pauses between attempts: 1 s, 4 s, 16 s, about a minute, about four minutes. */
const FIRST_PAUSE_MS = 1_000;
const PAUSE_FACTOR = 4;
/** Maximum time between two checks of the clock, which may be set. */
const MAX_WAIT_MS = 30_000;
/** Pause after a failed write to the store. */
const ERROR_PAUSE_MS = 5_000;

export interface Timing {
  /** Before the second attempt; each further pause is four times as long. */
  firstPauseMs: number;
  programMs?: number | undefined;
}

interface SenderOptions {
  outbox: Outbox;
  /** The current targets. */
  targets(): ReadonlyMap<string, Target>;
  /** Whether the entry is still worth sending. */
  isCurrent(entry: Entry): Promise<boolean>;
  /** Called when held entries are due. */
  release(held: readonly Entry[]): Promise<void>;
  env: NodeJS.ProcessEnv;
  now(): number;
  log(line: string): void;
  timing: Timing;
}

export interface Sender {
  /** Sends what is due. */
  check(): void;
  /** Makes one attempt now and stores the outcome. */
  attempt(entry: Entry, target: Target, mayRetry: boolean): Promise<Entry>;
  stop(): Promise<void>;
}

/** Sends the entries of each target in sequence; targets do not wait for each other. */
export function startSender({ outbox, targets, isCurrent, release, env, now, log, timing }: SenderOptions): Sender {
  const ending = new AbortController();
  const rounds = new Map<string, Promise<void>>();
  /** Missing programs are logged once. */
  const loggedMissing = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let releasing: Promise<void> | undefined;
  /** In monotonic time. */
  let pausedUntil = 0;

  const isDue = ({ nextAttemptAt }: Entry) => nextAttemptAt === null || nextAttemptAt <= now();
  const dueFor = (name: string) =>
    outbox.all().find((entry) => entry.target === name && entry.outcome === 'pending' && isDue(entry));

  async function sendDue(target: Target): Promise<void> {
    for (let entry = dueFor(target.name); entry && !ending.signal.aborted; entry = dueFor(target.name)) {
      if (await isCurrent(entry)) await attempt(entry, target, true);
      else await end(entry, 'dropped', 'OVER', 'resolved before it could be sent');
    }
  }

  const end = (entry: Entry, outcome: Entry['outcome'], code: string, message: string) =>
    outbox.change(entry, { outcome, endedAt: now(), nextAttemptAt: null, error: { code, message } });

  async function attempt(pending: Entry, target: Target, mayRetry: boolean): Promise<Entry> {
    const attempts = pending.attempts + 1;
    const entry = await outbox.change(pending, { outcome: 'sending', attempts });
    try {
      const context = { env, now: now(), signal: ending.signal, programMs: timing.programMs };
      await sendTo(target, outbox.notificationOf(entry), context);
      return await outbox.change(entry, { outcome: 'sent', endedAt: now(), nextAttemptAt: null, error: null });
    } catch (error) {
      // Left as it is; the next daemon resumes it.
      if (ending.signal.aborted) return entry;
      return await noteFailure(entry, target, error, mayRetry);
    }
  }

  async function noteFailure(entry: Entry, target: Target, error: unknown, mayRetry: boolean): Promise<Entry> {
    const { code, isRetryable } = error instanceof SendError ? error : { code: 'INTERNAL_ERROR', isRetryable: false };
    const message = messageOf(error);
    if (mayRetry && isRetryable && entry.attempts < MAX_ATTEMPTS) {
      const nextAttemptAt = now() + timing.firstPauseMs * PAUSE_FACTOR ** (entry.attempts - 1);
      return outbox.change(entry, { outcome: 'pending', nextAttemptAt, error: { code, message } });
    }
    if (code !== 'NOT_FOUND' || !loggedMissing.has(message)) log(`notify ${target.name}: ${message}`);
    if (code === 'NOT_FOUND') loggedMissing.add(message);
    return end(entry, 'failed', code, message);
  }

  function check(): void {
    if (ending.signal.aborted) return;
    if (performance.now() < pausedUntil) {
      setTimer();
      return;
    }
    for (const target of targets().values()) {
      if (rounds.has(target.name) || !dueFor(target.name)) continue;
      const round = sendDue(target)
        .catch(noteError)
        .finally(() => {
          rounds.delete(target.name);
          setTimer();
        });
      rounds.set(target.name, round);
    }
    const held = outbox.all().filter((entry) => entry.outcome === 'held' && isDue(entry));
    if (held.length > 0 && !releasing)
      releasing = release(held)
        .catch(noteError)
        .finally(() => {
          releasing = undefined;
          check();
        });
    setTimer();
  }

  function noteError(error: unknown): void {
    log(`notify: ${messageOf(error)}`);
    pausedUntil = performance.now() + ERROR_PAUSE_MS;
  }

  function setTimer(): void {
    clearTimeout(timer);
    if (ending.signal.aborted) return;
    const times = outbox.all().flatMap((entry) => {
      const waits = entry.outcome === 'held' || (entry.outcome === 'pending' && !rounds.has(entry.target));
      return waits && targets().has(entry.target) ? [(entry.nextAttemptAt ?? 0) - now()] : [];
    });
    if (times.length === 0) return;
    timer = setTimeout(check, Math.max(0, pausedUntil - performance.now(), Math.min(MAX_WAIT_MS, ...times)));
    timer.unref();
  }

  return {
    check,
    attempt,
    async stop() {
      ending.abort();
      clearTimeout(timer);
      await Promise.all([...rounds.values(), releasing]);
    },
  };
}

export const DEFAULT_TIMING: Timing = { firstPauseMs: FIRST_PAUSE_MS };
