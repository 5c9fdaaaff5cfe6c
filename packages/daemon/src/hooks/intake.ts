import { type FSWatcher, unlinkSync, watch } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Session } from '@agent-mux/api';
import { findStorageFailure, messageOf, secretsOf } from '@agent-mux/core';
import { readRegularFileSync } from '@agent-mux/core/light';
import type { HookMemory } from '../activity/hook-memory.ts';
import type { Desk } from '../sessions/desk.ts';
import { isPassing } from '../store/store.ts';
import { HandSessions } from './hand-sessions.ts';
import { type HookPlaces, REPORT_BYTES } from './spool.ts';
import { takeDelivery } from './take-delivery.ts';
import { readDelivery } from './understand.ts';

/** Where nobody tells that a report has come. */
const LOOK_EVERY_MS = 3000;
/** So many files that cannot be understood are kept for a look, the newest. */
const MOST_ASIDE = 100;
/** A report that has not been finished by then never will be. */
const UNFINISHED_MS = 60 * 60_000;
/** So many troubles are told of one round; the rest is counted. */
const MOST_TOLD = 20;

export interface Intake {
  /** Resolves when all that was there is taken. */
  takeAll(): Promise<void>;
  /** A session that lives in a terminal, and of which no hook has told yet. */
  follow(session: Session, memory: HookMemory): void;
  close(): Promise<void>;
}

/**
 * Reports of hooks, taken in the order of their calls: understood, committed, and then removed, so that one that was committed and not
 * removed is known again. What cannot be understood is put aside and holds nobody up; what cannot be stored stays until it can.
 */
export async function openIntake(desk: Desk, places: HookPlaces): Promise<Intake> {
  for (const folder of [places.root, places.spool, places.unfinished, places.aside]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  }
  const hand = new HandSessions(desk);
  await hand.start();
  const round = new Round(desk, hand, places);
  const watcher = watchFolder(places.spool, () => round.start());
  const timer = setInterval(() => round.start(), LOOK_EVERY_MS);
  timer.unref();
  round.start();
  return {
    takeAll: () => round.start(),
    follow: (session, memory) => hand.note(session, memory),
    async close() {
      watcher?.close();
      clearInterval(timer);
      await round.stop();
      await hand.stop();
    },
  };
}

/** Undefined: the system cannot tell; then it is only looked now and then. */
function watchFolder(folder: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

/** One look at the spool at a time; whoever asks meanwhile gets another one. */
class Round {
  readonly #desk: Desk;
  readonly #hand: HandSessions;
  readonly #places: HookPlaces;
  /** Committed, and could not be removed. */
  readonly #taken = new Set<string>();
  readonly #secrets: readonly string[];
  #work: Promise<void> | undefined;
  #isAskedAgain = false;
  #isStopped = false;
  #told = 0;

  constructor(desk: Desk, hand: HandSessions, places: HookPlaces) {
    this.#desk = desk;
    this.#hand = hand;
    this.#places = places;
    this.#secrets = secretsOf(desk.env);
  }

  start(): Promise<void> {
    this.#isAskedAgain = true;
    this.#work ??= this.#takeAll()
      .catch((error) => this.#desk.log(`reports of hooks cannot be taken: ${messageOf(error)}`))
      .finally(() => {
        this.#work = undefined;
      });
    return this.#work;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#work;
  }

  async #takeAll(): Promise<void> {
    while (this.#isAskedAgain && !this.#isStopped) {
      this.#isAskedAgain = false;
      this.#told = 0;
      const names = (await readdir(this.#places.spool)).filter((name) => !this.#taken.has(name)).sort();
      for (const name of names) {
        if (this.#isStopped || !(await this.#takeOne(name))) return;
        // Whoever asks something meanwhile gets an answer.
        await setImmediate();
      }
      if (this.#told > MOST_TOLD) this.#desk.log(`hooks: ${this.#told - MOST_TOLD} more of these`);
    }
    await dropUnfinished(this.#places.unfinished, this.#desk.now() - UNFINISHED_MS);
  }

  /** False: nothing can be stored now. */
  async #takeOne(name: string): Promise<boolean> {
    const path = join(this.#places.spool, name);
    try {
      // They are small, and were written a moment ago: to wait for each step of it would take longer.
      const text = readRegularFileSync(path, { limit: REPORT_BYTES + 64 * 1024, followLinks: false });
      const problem = await takeDelivery(this.#desk, this.#hand, readDelivery(text.toString('utf8')), this.#secrets);
      if (problem !== null) this.#tell(name, problem);
      this.#remove(name);
    } catch (error) {
      if (isPassing(error) || isUnreadableNow(error)) {
        this.#tell(name, messageOf(error));
        return false;
      }
      // Whoever keeps the spool small may have been faster.
      if (!isAbsence(error)) await this.#putAside(name, error);
    }
    return true;
  }

  #remove(name: string): void {
    try {
      unlinkSync(join(this.#places.spool, name));
    } catch (error) {
      if (isAbsence(error)) return;
      this.#taken.add(name);
      this.#tell(name, `it cannot be removed: ${messageOf(error)}`);
    }
  }

  async #putAside(name: string, error: unknown): Promise<void> {
    const { spool, aside } = this.#places;
    this.#tell(name, `put aside: ${messageOf(error)}`);
    try {
      await rename(join(spool, name), join(aside, name));
      const kept = (await readdir(aside)).sort();
      for (const old of kept.slice(0, -MOST_ASIDE)) await rm(join(aside, old), { recursive: true, force: true });
    } catch (problem) {
      this.#taken.add(name);
      this.#tell(name, `it cannot be put aside: ${messageOf(problem)}`);
    }
  }

  #tell(name: string, problem: string): void {
    this.#told += 1;
    if (this.#told <= MOST_TOLD) this.#desk.log(`hooks: ${name.slice(0, 100)}: ${problem}`);
  }
}

/** The report itself is fine: the disk or this process cannot open any file at the moment. */
function isUnreadableNow(error: unknown): boolean {
  const { errno } = findStorageFailure(error) ?? {};
  return errno !== undefined && errno !== 'EACCES' && errno !== 'EPERM';
}

function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function dropUnfinished(folder: string, olderThan: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => null);
    if (found && found.mtimeMs < olderThan) await rm(path, { recursive: true, force: true });
  }
}
