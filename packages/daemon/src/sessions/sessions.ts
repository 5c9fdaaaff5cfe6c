import { join } from 'node:path';
import type { Session } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import type { HookMemory } from '../activity/hook-memory.ts';
import { type Intake, openIntake } from '../hooks/intake.ts';
import { reportActivity } from '../hooks/report-activity.ts';
import type { HookPlaces } from '../hooks/spool.ts';
import { trimJournal } from '../journal/trim-journal.ts';
import { Governor } from '../limits/governor.ts';
import { journalIn } from '../places.ts';
import { judgeOpen, watchRules } from '../policy/judge.ts';
import { answerRequest, postponeRequest } from '../requests/answer.ts';
import type { SessionService } from '../service.ts';
import type { StoreHealth } from '../store-health.ts';
import { adoptTerminals, noteEnd, openTerminal } from '../terminals/open-terminal.ts';
import { finishWork } from '../workspaces/worktree-orders.ts';
import { adoptAll, takeUpAgain } from './adopt.ts';
import { findAdapter } from './agent-facts.ts';
import { forkSession, takeOverSession } from './branch-off.ts';
import { Committer } from './committer.ts';
import { checkNewSession, createSession } from './create.ts';
import { deliverNext } from './deliver.ts';
import { ANY_CHANGE, type Desk, type LiveSession, tellChange } from './desk.ts';
import { environmentOf } from './environment.ts';
import { findSession } from './find.ts';
import { Retries } from './keepers/retries.ts';
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
import { Serial } from './serial.ts';
import { tellCommitted } from './take-events.ts';
import { Wakers } from './wakers.ts';

export interface SessionsHouse extends SessionService {
  /** Takes up what a daemon before this one has left. */
  adopt(): Promise<void>;
  /** What cannot be stored at the moment, and of whom; empty: all is well. */
  troubles(): string[];
  /** Follows what hooks report, from what has waited on. */
  listen(places: HookPlaces): Promise<void>;
  /** Keepers go on without this daemon; `end`: they park their sessions first, and the running turns are interrupted. */
  close(how: 'leave' | 'end'): Promise<void>;
  /** Whoever waits because of them may not have to any more. */
  settingsChanged(): void;
  counts(): { live: number; keepers: number };
}

type Given = Pick<Desk, 'store' | 'places' | 'settings' | 'env' | 'policy' | 'clientFor' | 'now' | 'log'> & {
  health: StoreHealth;
};

/** All that can be asked of sessions, over one desk. */
export function openSessions(given: Given): SessionsHouse {
  let closing = false;
  let intake: Intake | undefined;
  const wakers = new Wakers();
  const live = new Map<string, LiveSession>();
  const serial = new Serial();
  const committer = new Committer(given.store, {
    committed: (batches) => tellCommitted({ wakers }, new Set(batches.map(({ sessionId }) => sessionId))),
    durable: (upTo) => {
      for (const [id, seq] of upTo) {
        const held = live.get(id);
        if (held) held.link?.acknowledge(id, seq);
        else trimJournal(journalIn(join(given.places.sessions, id)), seq);
      }
    },
    trouble: (problem) => {
      given.health.note('sync', problem);
    },
  });
  const desk: Desk = {
    ...given,
    committer,
    serial,
    wakers,
    live,
    keepers: new Map(),
    connecting: new Map(),
    retries: new Retries(),
    environments: new Map(),
    waitingForRoom: new Set(),
    governor: new Governor({
      ...{ store: given.store, settings: given.settings, env: given.env, now: given.now, log: given.log, serial },
      kick: (id) => desk.kick(id),
      tell: () => tellChange(desk),
      adapterOf: (session) => findAdapter(desk, session) ?? undefined,
      environmentOf: (session) => environmentOf(desk, session),
    }),
    kick: (id) => {
      if (closing) return;
      const delivered = serial.run(id, () => deliverNext(desk, id, { isPatient: true }));
      delivered.catch((error) => given.log(`${id}: a message could not be delivered: ${messageOf(error)}`));
    },
    keeperGone: (link) => {
      takeUpAgain(desk, link).catch((error) => given.log(`keeper ${link.record.pid}: ${messageOf(error)}`));
    },
    isClosing: () => closing,
  };
  const follow = (session: Session, memory: HookMemory) => intake?.follow(session, memory);
  const stopParking = startParking(desk);
  const stopWatching = watchRules(desk);

  return {
    create: (session, who) => createSession(desk, session, who),
    check: (session) => checkNewSession(desk, session),
    change: (id, patch, who) => changeSession(desk, id, patch, who),
    remove: (id, who) => removeSession(desk, id, who),
    send: (id, message, who) => sendMessage(desk, id, message, who),
    cancelMessage: (id, messageId, who) => cancelMessage(desk, id, messageId, who),
    interrupt: (id, who) => interruptSession(desk, id, who),
    stop: (id, who) => stopSession(desk, id, who),
    park: (id, who) => parkSession(desk, id, who),
    restore: (id, more, who) => restoreSession(desk, id, more, who),
    fork: (id, more, who) => forkSession(desk, id, more, who),
    takeOver: (stored, who) => takeOverSession(desk, stored, who),
    async answer(id, answer, who) {
      const answered = await answerRequest(desk, id, answer, who);
      if ('remember' in answer && answer.remember) judgeOpen(desk);
      return answered;
    },
    judgeOpen: () => judgeOpen(desk),
    postpone: (id, until, who) => postponeRequest(desk, id, until, who),
    reportActivity: (id, report) => reportActivity(desk, id, report, follow),
    openTerminal: (id, wish, who) => openTerminal(desk, id, wish, who, follow),
    terminalEnded: (id) => noteEnd(desk, id),
    finishWork: (id, given, who) => finishWork(desk, id, given, who),
    cancelLimit: (id, who) => onFound(desk, id, (found) => desk.governor.cancel(found, who)),
    continueLimit: (id, who) => onFound(desk, id, (found) => desk.governor.continueNow(found, who)),
    limits: () => desk.governor.overview(),
    quota: () => desk.governor.quota(),
    waitForEvents: (id, after, signal) =>
      wakers.wait(id, signal, async () => {
        const lastSeq = live.get(id)?.lastSeq ?? (await given.store.getSession(id))?.lastSeq;
        return lastSeq === undefined || lastSeq > after;
      }),
    waitForChanges: (after, signal) =>
      wakers.wait(ANY_CHANGE, signal, async () => (await given.store.revision()) > after),
    async listen(places) {
      intake = await openIntake(desk, places);
      await adoptTerminals(desk, follow);
    },
    async adopt() {
      await desk.governor.open();
      await adoptAll(desk);
      desk.governor.start();
    },
    troubles: () => [
      ...(given.health.problem === null ? [] : [given.health.problem]),
      ...[...live.values()].flatMap(({ id, trouble }) => (trouble === null ? [] : [`${id}: ${trouble}`])),
    ],
    settingsChanged() {
      desk.governor.rulesChanged();
      for (const id of desk.waitingForRoom) desk.kick(id);
    },
    counts: () => ({ live: live.size, keepers: desk.keepers.size }),
    async close(how) {
      closing = true;
      stopParking();
      stopWatching();
      desk.retries.close();
      await intake?.close();
      await desk.governor.close();
      if (how === 'end') await endAll(desk);
      await serial.rest();
      for (const link of desk.keepers.values()) link.close();
      await committer.close();
      for (const id of live.keys()) wakers.wake(id);
      wakers.wake(ANY_CHANGE);
    },
  };
}

/** Within the session's serial. */
async function onFound<Result>(desk: Desk, id: string, work: (id: string) => Promise<Result>): Promise<Result> {
  const session = await findSession(desk, id);
  return desk.serial.run(session.id, () => work(session.id));
}

/** So long may sessions take to end their turn when the daemon is told to take them along. */
const END_PATIENCE_MS = 10_000;

async function endAll(desk: Desk): Promise<void> {
  const patience = AbortSignal.timeout(END_PATIENCE_MS);
  await Promise.all(
    [...desk.live.values()].map(async (live) => {
      live.ending = 'park';
      try {
        if (live.projector.state.turn)
          await live.link?.order({ type: 'interrupt', sessionId: live.id }).catch(() => {});
        await live.link?.order({ type: 'end', sessionId: live.id, how: 'park' });
      } catch (error) {
        desk.log(`${live.id}: does not hear that it is to end: ${messageOf(error)}`);
      }
      while (desk.live.get(live.id) === live && !patience.aborted)
        await desk.wakers.wait(live.id, patience, () => desk.live.get(live.id) !== live);
      if (desk.live.get(live.id) === live) live.link?.kill();
    }),
  );
}
