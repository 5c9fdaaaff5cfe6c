import { type FSWatcher, unlinkSync, watch } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Session } from '@agent-mux/api';
import { findStorageFailure, messageOf, secretsOf } from '@agent-mux/core';
import { readRegularFileSync } from '@agent-mux/core/light';
import type { HookRecord } from '../activity/hook-record.ts';
import type { DaemonContext } from '../sessions/daemon-context.ts';
import { isPassing } from '../store/store.ts';
import { applyHookDelivery } from './apply-delivery.ts';
import { parseHookDelivery } from './interpret.ts';
import { type HookPaths, REPORT_BYTES } from './spool.ts';
import { UnmanagedSessions } from './unmanaged-sessions.ts';

/** Poll interval, for when the file watcher reports nothing. */
const POLL_MS = 3000;
/** Maximum number of unreadable files kept for inspection; the oldest are deleted. */
const MAX_ASIDE = 100;
/** A report that is still unfinished after this time never will be finished. */
const UNFINISHED_MS = 60 * 60_000;
/** Maximum number of problems logged per round; the rest is only counted. */
const MAX_LOGGED = 20;

export interface SpoolReader {
  /** Resolves when all present reports have been processed. */
  processAll(): Promise<void>;
  /** Follows an unmanaged session that no hook has reported yet. */
  follow(session: Session, memory: HookRecord): void;
  close(): Promise<void>;
}

/**
 * Reads hook reports in the order of their calls: parses, commits and then removes each, so that a report that was
 * committed but not removed is recognized as a duplicate. Invalid reports are set aside and block nothing; reports that
 * cannot be stored stay until they can.
 */
export async function openSpoolReader(ctx: DaemonContext, paths: HookPaths): Promise<SpoolReader> {
  for (const folder of [paths.root, paths.spool, paths.unfinished, paths.aside]) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
  }
  const unmanaged = new UnmanagedSessions(ctx);
  await unmanaged.start();
  const round = new Round(ctx, unmanaged, paths);
  const watcher = watchFolder(paths.spool, () => round.start());
  const timer = setInterval(() => round.start(), POLL_MS);
  timer.unref();
  round.start();
  return {
    processAll: () => round.start(),
    follow: (session, memory) => unmanaged.note(session, memory),
    async close() {
      watcher?.close();
      clearInterval(timer);
      await round.stop();
      await unmanaged.stop();
    },
  };
}

/** Undefined if the system cannot watch the folder; then it is only polled. */
function watchFolder(folder: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

/** Runs one pass over the spool at a time; a request during a pass triggers another one. */
class Round {
  readonly #ctx: DaemonContext;
  readonly #unmanaged: UnmanagedSessions;
  readonly #paths: HookPaths;
  /** Files that were committed but could not be removed. */
  readonly #committed = new Set<string>();
  readonly #secrets: readonly string[];
  #work: Promise<void> | undefined;
  #isRequestedAgain = false;
  #isStopped = false;
  #logged = 0;

  constructor(ctx: DaemonContext, unmanaged: UnmanagedSessions, paths: HookPaths) {
    this.#ctx = ctx;
    this.#unmanaged = unmanaged;
    this.#paths = paths;
    this.#secrets = secretsOf(ctx.env);
  }

  start(): Promise<void> {
    this.#isRequestedAgain = true;
    this.#work ??= this.#processAll()
      .catch((error) => this.#ctx.log(`cannot read hook reports: ${messageOf(error)}`))
      .finally(() => {
        this.#work = undefined;
      });
    return this.#work;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#work;
  }

  async #processAll(): Promise<void> {
    while (this.#isRequestedAgain && !this.#isStopped) {
      this.#isRequestedAgain = false;
      this.#logged = 0;
      const names = (await readdir(this.#paths.spool)).filter((name) => !this.#committed.has(name)).sort();
      for (const name of names) {
        if (this.#isStopped || !(await this.#processOne(name))) return;
        // Lets other work of the event loop run in between.
        await setImmediate();
      }
      if (this.#logged > MAX_LOGGED) this.#ctx.log(`hooks: ${this.#logged - MAX_LOGGED} more problems like these`);
    }
    await dropUnfinished(this.#paths.unfinished, this.#ctx.now() - UNFINISHED_MS);
  }

  /** Returns false if nothing can be stored now. */
  async #processOne(name: string): Promise<boolean> {
    const path = join(this.#paths.spool, name);
    try {
      // The files are small and recent, so asynchronous reads would take longer.
      const text = readRegularFileSync(path, { limit: REPORT_BYTES + 64 * 1024, followLinks: false });
      const problem = await applyHookDelivery(
        this.#ctx,
        this.#unmanaged,
        parseHookDelivery(text.toString('utf8')),
        this.#secrets,
      );
      if (problem !== null) this.#log(name, problem);
      this.#remove(name);
    } catch (error) {
      if (isPassing(error) || isUnreadableNow(error)) {
        this.#log(name, messageOf(error));
        return false;
      }
      // The reporter may have trimmed the spool meanwhile.
      if (!isAbsence(error)) await this.#setAside(name, error);
    }
    return true;
  }

  #remove(name: string): void {
    try {
      unlinkSync(join(this.#paths.spool, name));
    } catch (error) {
      if (isAbsence(error)) return;
      this.#committed.add(name);
      this.#log(name, `cannot be removed: ${messageOf(error)}`);
    }
  }

  async #setAside(name: string, error: unknown): Promise<void> {
    const { spool, aside } = this.#paths;
    this.#log(name, `set aside: ${messageOf(error)}`);
    try {
      await rename(join(spool, name), join(aside, name));
      const stored = (await readdir(aside)).sort();
      for (const old of stored.slice(0, -MAX_ASIDE)) await rm(join(aside, old), { recursive: true, force: true });
    } catch (problem) {
      this.#committed.add(name);
      this.#log(name, `cannot be set aside: ${messageOf(problem)}`);
    }
  }

  #log(name: string, problem: string): void {
    this.#logged += 1;
    if (this.#logged <= MAX_LOGGED) this.#ctx.log(`hooks: ${name.slice(0, 100)}: ${problem}`);
  }
}

/** The report is fine, but the disk or this process cannot open any file at the moment. */
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
