import { messageOf } from '@agent-mux/core';
import type { Target } from './notify-settings.ts';
import type { Entry, Outbox } from './outbox.ts';
import { sendTo } from './send.ts';
import { SendError } from './send-error.ts';

/** A webhook is tried so often, and then given up. */
const WEBHOOK_TRIES = 6;
/** Between tries: 1 s, 4 s, 16 s, about a minute, about four. */
const FIRST_PAUSE_MS = 1_000;
const PAUSE_FACTOR = 4;
/** The clock may be set: it is looked at no less often. */
const LOOK_MS = 30_000;
/** Where the store cannot be written, it is not asked all the time. */
const AFTER_TROUBLE_MS = 5_000;

export interface Timing {
  /** Before the second try; each further pause is four times as long. */
  firstPauseMs: number;
  programMs?: number | undefined;
}

interface Given {
  outbox: Outbox;
  /** Those that count now. */
  targets(): ReadonlyMap<string, Target>;
  /** Somebody still wants to hear of it. */
  isNews(entry: Entry): Promise<boolean>;
  /** What was held is due. */
  release(held: readonly Entry[]): Promise<void>;
  env: NodeJS.ProcessEnv;
  now(): number;
  log(line: string): void;
  timing: Timing;
}

export interface Postman {
  /** Something may be due. */
  look(): void;
  /** One attempt, now; what came of it is noted. */
  attempt(entry: Entry, target: Target, again: boolean): Promise<Entry>;
  stop(): Promise<void>;
}

/** One letter after the other for each target, and no target waits for another. */
export function openPostman({ outbox, targets, isNews, release, env, now, log, timing }: Given): Postman {
  const ending = new AbortController();
  const rounds = new Map<string, Promise<void>>();
  /** Programs that were not found are told of once. */
  const toldOf = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let releasing: Promise<void> | undefined;
  /** By the clock that never jumps. */
  let restsUntil = 0;

  const isDue = ({ nextAt }: Entry) => nextAt === null || nextAt <= now();
  const dueFor = (name: string) =>
    outbox.all().find((entry) => entry.target === name && entry.outcome === 'waiting' && isDue(entry));

  async function walk(target: Target): Promise<void> {
    for (let entry = dueFor(target.name); entry && !ending.signal.aborted; entry = dueFor(target.name)) {
      if (await isNews(entry)) await attempt(entry, target, true);
      else await end(entry, 'dropped', 'OVER', 'it was over before it could be told');
    }
  }

  const end = (entry: Entry, outcome: Entry['outcome'], code: string, message: string) =>
    outbox.change(entry, { outcome, endedAt: now(), nextAt: null, error: { code, message } });

  async function attempt(given: Entry, target: Target, again: boolean): Promise<Entry> {
    const attempts = given.attempts + 1;
    const entry = await outbox.change(given, { outcome: 'sending', attempts });
    try {
      const around = { env, now: now(), signal: ending.signal, programMs: timing.programMs };
      await sendTo(target, outbox.tellingOf(entry), around);
      return await outbox.change(entry, { outcome: 'sent', endedAt: now(), nextAt: null, error: null });
    } catch (error) {
      // Whoever comes next finds it as it was when this daemon died.
      if (ending.signal.aborted) return entry;
      return await noteFailure(entry, target, error, again);
    }
  }

  async function noteFailure(entry: Entry, target: Target, error: unknown, again: boolean): Promise<Entry> {
    const { code, mayPass } = error instanceof SendError ? error : { code: 'INTERNAL_ERROR', mayPass: false };
    const message = messageOf(error);
    if (again && mayPass && entry.attempts < WEBHOOK_TRIES) {
      const nextAt = now() + timing.firstPauseMs * PAUSE_FACTOR ** (entry.attempts - 1);
      return outbox.change(entry, { outcome: 'waiting', nextAt, error: { code, message } });
    }
    if (code !== 'NOT_FOUND' || !toldOf.has(message)) log(`notify ${target.name}: ${message}`);
    if (code === 'NOT_FOUND') toldOf.add(message);
    return end(entry, 'failed', code, message);
  }

  function look(): void {
    if (ending.signal.aborted) return;
    if (performance.now() < restsUntil) {
      setTimer();
      return;
    }
    for (const target of targets().values()) {
      if (rounds.has(target.name) || !dueFor(target.name)) continue;
      const round = walk(target)
        .catch(noteTrouble)
        .finally(() => {
          rounds.delete(target.name);
          setTimer();
        });
      rounds.set(target.name, round);
    }
    const held = outbox.all().filter((entry) => entry.outcome === 'held' && isDue(entry));
    if (held.length > 0 && !releasing)
      releasing = release(held)
        .catch(noteTrouble)
        .finally(() => {
          releasing = undefined;
          look();
        });
    setTimer();
  }

  function noteTrouble(error: unknown): void {
    log(`notify: ${messageOf(error)}`);
    restsUntil = performance.now() + AFTER_TROUBLE_MS;
  }

  function setTimer(): void {
    clearTimeout(timer);
    if (ending.signal.aborted) return;
    const times = outbox.all().flatMap((entry) => {
      const waits = entry.outcome === 'held' || (entry.outcome === 'waiting' && !rounds.has(entry.target));
      return waits && targets().has(entry.target) ? [(entry.nextAt ?? 0) - now()] : [];
    });
    if (times.length === 0) return;
    timer = setTimeout(look, Math.max(0, restsUntil - performance.now(), Math.min(LOOK_MS, ...times)));
    timer.unref();
  }

  return {
    look,
    attempt,
    async stop() {
      ending.abort();
      clearTimeout(timer);
      await Promise.all([...rounds.values(), releasing]);
    },
  };
}

export const DEFAULT_TIMING: Timing = { firstPauseMs: FIRST_PAUSE_MS };
