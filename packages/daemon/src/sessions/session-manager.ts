import { join } from 'node:path';
import type { Session } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import type { HookRecord } from '../activity/hook-record.ts';
import { reportActivity } from '../hooks/report-activity.ts';
import type { HookPaths } from '../hooks/spool.ts';
import { openSpoolReader, type SpoolReader } from '../hooks/spool-reader.ts';
import { trimJournal } from '../journal/trim-journal.ts';
import { Governor } from '../limits/governor.ts';
import { journalIn } from '../paths.ts';
import { evaluateOpen, watchRules } from '../policy/evaluate.ts';
import { answerRequest, snoozeRequest } from '../requests/answer.ts';
import type { SessionService } from '../service.ts';
import type { StoreHealth } from '../store-health.ts';
import { adoptTerminals, openTerminal, recordTerminalExit } from '../terminals/open-terminal.ts';
import { finishWorktree } from '../workspaces/worktree-actions.ts';
import { adoptAll, readopt } from './adopt.ts';
import { findAdapter } from './agent-facts.ts';
import { Committer } from './committer.ts';
import { checkNewSession, createSession } from './create.ts';
import { ANY_CHANGE, type DaemonContext, type LiveSession, notifyChange } from './daemon-context.ts';
import { deliverNext } from './deliver.ts';
import { environmentOf } from './environment.ts';
import { findSession } from './find.ts';
import { forkSession, importSession } from './fork.ts';
import { notifyCommitted } from './ingest-events.ts';
import { Retries } from './keepers/retries.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import { KeyedSignal } from './keyed-signal.ts';
import {
  changeSession,
  interruptSession,
  parkSession,
  removeSession,
  restoreSession,
  stopSession,
} from './lifecycle.ts';
import { startParking } from './parking.ts';
import { cancelMessage, sendMessage } from './send.ts';

export interface SessionManager extends SessionService {
  /** Adopts the sessions that the previous daemon left. */
  adopt(): Promise<void>;
  /** Storage problems by session; empty if there are none. */
  problems(): string[];
  /** Processes hook reports, including those already in the spool. */
  followHooks(paths: HookPaths): Promise<void>;
  /**
   * `leave`: keepers continue without this daemon. `end`: running turns are interrupted and all sessions parked first.
   */
  close(how: 'leave' | 'end'): Promise<void>;
  /** Re-evaluates sessions that wait because of a setting. */
  settingsChanged(): void;
  counts(): { live: number; keepers: number };
}

type SessionManagerOptions = Pick<
  DaemonContext,
  'store' | 'paths' | 'settings' | 'env' | 'policy' | 'clientFor' | 'now' | 'log'
> & {
  health: StoreHealth;
};

/** Implements the session service on one context. */
export function openSessionManager(options: SessionManagerOptions): SessionManager {
  let closing = false;
  let spoolReader: SpoolReader | undefined;
  const signals = new KeyedSignal();
  const live = new Map<string, LiveSession>();
  const mutex = new KeyedMutex();
  const committer = new Committer(options.store, {
    committed: (batches) => notifyCommitted({ signals }, new Set(batches.map(({ sessionId }) => sessionId))),
    durable: (upTo) => {
      for (const [id, seq] of upTo) {
        const held = live.get(id);
        if (held) held.link?.acknowledge(id, seq);
        else trimJournal(journalIn(join(options.paths.sessions, id)), seq);
      }
    },
    storageError: (problem) => {
      options.health.note('sync', problem);
    },
  });
  const ctx: DaemonContext = {
    ...options,
    committer,
    mutex,
    signals,
    live,
    keepers: new Map(),
    connecting: new Map(),
    retries: new Retries(),
    environments: new Map(),
    waitingForSlot: new Set(),
    governor: new Governor({
      ...{
        store: options.store,
        settings: options.settings,
        env: options.env,
        now: options.now,
        log: options.log,
        mutex,
      },
      scheduleDelivery: (id) => ctx.scheduleDelivery(id),
      notify: () => notifyChange(ctx),
      adapterOf: (session) => findAdapter(ctx, session) ?? undefined,
      environmentOf: (session) => environmentOf(ctx, session),
    }),
    scheduleDelivery: (id) => {
      if (closing) return;
      const delivered = mutex.run(id, () => deliverNext(ctx, id, { isPatient: true }));
      delivered.catch((error) => options.log(`${id}: a message could not be delivered: ${messageOf(error)}`));
    },
    onKeeperLost: (link) => {
      readopt(ctx, link).catch((error) => options.log(`keeper ${link.record.pid}: ${messageOf(error)}`));
    },
    isClosing: () => closing,
  };
  const follow = (session: Session, memory: HookRecord) => spoolReader?.follow(session, memory);
  const stopParking = startParking(ctx);
  const stopWatching = watchRules(ctx);

  return {
    create: (session, actor) => createSession(ctx, session, actor),
    check: (session) => checkNewSession(ctx, session),
    change: (id, patch, actor) => changeSession(ctx, id, patch, actor),
    remove: (id, actor) => removeSession(ctx, id, actor),
    send: (id, message, actor) => sendMessage(ctx, id, message, actor),
    cancelMessage: (id, messageId, actor) => cancelMessage(ctx, id, messageId, actor),
    interrupt: (id, actor) => interruptSession(ctx, id, actor),
    stop: (id, actor) => stopSession(ctx, id, actor),
    park: (id, actor) => parkSession(ctx, id, actor),
    restore: (id, more, actor) => restoreSession(ctx, id, more, actor),
    fork: (id, more, actor) => forkSession(ctx, id, more, actor),
    importSession: (stored, actor) => importSession(ctx, stored, actor),
    async answer(id, answer, actor) {
      const answered = await answerRequest(ctx, id, answer, actor);
      if ('remember' in answer && answer.remember) evaluateOpen(ctx);
      return answered;
    },
    evaluateOpen: () => evaluateOpen(ctx),
    postpone: (id, until, actor) => snoozeRequest(ctx, id, until, actor),
    reportActivity: (id, report) => reportActivity(ctx, id, report, follow),
    openTerminal: (id, options, actor) => openTerminal(ctx, id, options, actor, follow),
    terminalEnded: (id) => recordTerminalExit(ctx, id),
    finishWork: (id, options, actor) => finishWorktree(ctx, id, options, actor),
    cancelLimit: (id, actor) => withSession(ctx, id, (found) => ctx.governor.cancel(found, actor)),
    continueLimit: (id, actor) => withSession(ctx, id, (found) => ctx.governor.continueNow(found, actor)),
    limits: () => ctx.governor.overview(),
    quota: () => ctx.governor.quota(),
    waitForEvents: (id, after, signal) =>
      signals.wait(id, signal, async () => {
        const lastSeq = live.get(id)?.lastSeq ?? (await options.store.getSession(id))?.lastSeq;
        return lastSeq === undefined || lastSeq > after;
      }),
    waitForChanges: (after, signal) =>
      signals.wait(ANY_CHANGE, signal, async () => (await options.store.revision()) > after),
    async followHooks(paths) {
      spoolReader = await openSpoolReader(ctx, paths);
      await adoptTerminals(ctx, follow);
    },
    async adopt() {
      await ctx.governor.open();
      await adoptAll(ctx);
      ctx.governor.start();
    },
    problems: () => [
      ...(options.health.problem === null ? [] : [options.health.problem]),
      ...[...live.values()].flatMap(({ id, storageError }) =>
        storageError === null ? [] : [`${id}: ${storageError}`],
      ),
    ],
    settingsChanged() {
      ctx.governor.rulesChanged();
      for (const id of ctx.waitingForSlot) ctx.scheduleDelivery(id);
    },
    counts: () => ({ live: live.size, keepers: ctx.keepers.size }),
    async close(how) {
      closing = true;
      stopParking();
      stopWatching();
      ctx.retries.close();
      await spoolReader?.close();
      await ctx.governor.close();
      if (how === 'end') await endAll(ctx);
      await mutex.rest();
      for (const link of ctx.keepers.values()) link.close();
      await committer.close();
      for (const id of live.keys()) signals.notify(id);
      signals.notify(ANY_CHANGE);
    },
  };
}

/** Runs work while holding the session's mutex. */
async function withSession<Result>(
  ctx: DaemonContext,
  id: string,
  work: (id: string) => Promise<Result>,
): Promise<Result> {
  const session = await findSession(ctx, id);
  return ctx.mutex.run(session.id, () => work(session.id));
}

/** Time that sessions have to end their turn when the daemon ends them. */
const END_TIMEOUT_MS = 10_000;

async function endAll(ctx: DaemonContext): Promise<void> {
  const timeout = AbortSignal.timeout(END_TIMEOUT_MS);
  await Promise.all(
    [...ctx.live.values()].map(async (live) => {
      live.ending = 'park';
      try {
        if (live.projector.state.turn)
          await live.link?.request({ type: 'interrupt', sessionId: live.id }).catch(() => {});
        await live.link?.request({ type: 'end', sessionId: live.id, how: 'park' });
      } catch (error) {
        ctx.log(`${live.id}: the keeper did not acknowledge the end: ${messageOf(error)}`);
      }
      while (ctx.live.get(live.id) === live && !timeout.aborted)
        await ctx.signals.wait(live.id, timeout, () => ctx.live.get(live.id) !== live);
      if (ctx.live.get(live.id) === live) live.link?.kill();
    }),
  );
}
