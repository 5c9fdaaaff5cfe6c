import { setTimeout as sleep } from 'node:timers/promises';
import type { NewSchedule, Schedule, ScheduleDetail, SchedulePatch, ScheduleRun } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import { DaemonError } from '../daemon-error.ts';
import type { SessionService, Who } from '../service.ts';
import { randomLetters } from '../sessions/ids.ts';
import { asRefusal } from '../sessions/keeper-link.ts';
import { Serial } from '../sessions/serial.ts';
import type { Store } from '../store/store.ts';
import { CronError, parseCron } from './cron.ts';
import { dueRuns } from './due-runs.ts';
import { missedWords, newRun, sessionIdOf, skip, valuesOf } from './new-run.ts';
import { MINUTE_MS, nextTime } from './next-time.ts';
import { endOfRun } from './run-end.ts';
import {
  isOver,
  type StoredSchedule,
  StoredScheduleSchema,
  showDetail,
  showSchedule,
  withRun,
} from './stored-schedule.ts';

/** What can be asked of schedules. */
export interface ScheduleService {
  list(): Promise<Schedule[]>;
  create(given: NewSchedule, who: Who): Promise<Schedule>;
  get(id: string): Promise<ScheduleDetail>;
  change(id: string, patch: SchedulePatch, who: Who): Promise<Schedule>;
  remove(id: string, who: Who): Promise<void>;
  run(id: string, who: Who): Promise<ScheduleRun>;
}

export interface Schedules extends ScheduleService {
  /** Goes on with what a daemon before this one has begun, and looks at the clock from now on. */
  start(): void;
  /** What is due now is begun, and what is over is noted. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

interface Given {
  store: Store;
  service: Pick<SessionService, 'create' | 'check' | 'waitForChanges'>;
  /** The daemon's own: values of variables are taken from it when something runs. */
  env: NodeJS.ProcessEnv;
  now(): number;
  log(line: string): void;
}

const RECORD = 'schedule';
/** More are refused. */
const MOST_SCHEDULES = 200;
/** The clock may be set, and machines sleep: it is looked at no less often. */
const LOOK_MS = 30_000;
/** Sessions change many times a second; whether a run is over is looked at no more often. */
const SETTLE_MS = 1_000;

export function openSchedules({ store, service, env, now, log }: Given): Schedules {
  const serial = new Serial();
  const ending = new AbortController();
  const work = new Set<Promise<unknown>>();
  let loaded: Promise<Map<string, StoredSchedule>> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const all = () => {
    loaded ??= loadAll(store, log);
    return loaded;
  };
  async function save(schedule: StoredSchedule): Promise<StoredSchedule> {
    await store.putRecord(RECORD, schedule.id, schedule, now());
    (await all()).set(schedule.id, schedule);
    return schedule;
  }
  async function find(id: string): Promise<StoredSchedule> {
    const schedules = await all();
    const exact = schedules.get(id);
    if (exact) return exact;
    const [first, second] = [...schedules.values()].filter((each) => each.id.startsWith(id));
    if (!first)
      throw new DaemonError('NOT_FOUND', `there is no schedule "${id}"`, { hint: 'amux schedule list shows them' });
    if (second)
      throw new DaemonError('AMBIGUOUS_ID', `several schedules begin with "${id}"`, { hint: 'say more of it' });
    return first;
  }
  const audit = (who: Who, action: string, { id }: StoredSchedule, detail: Record<string, unknown> = {}) =>
    store.appendAudit({ time: now(), who, action, sessionId: null, detail: { scheduleId: id, ...detail } });

  /** One at a time for each schedule, on what is there then. Undefined: it was removed meanwhile. */
  const on = <Result>(id: string, act: (schedule: StoredSchedule) => Promise<Result>) =>
    serial.run(id, async () => {
      const schedule = (await all()).get(id);
      return schedule ? act(schedule) : undefined;
    });
  const onFound = async <Result>(id: string, act: (schedule: StoredSchedule) => Promise<Result>): Promise<Result> => {
    const done = await on((await find(id)).id, act);
    if (done === undefined) throw new DaemonError('NOT_FOUND', `there is no schedule "${id}"`);
    return done;
  };

  /** The row says that it is begun before anything is; its session is known by the run, so that none is made twice. */
  async function begin(schedule: StoredSchedule, run: ScheduleRun): Promise<ScheduleRun> {
    return isOver(run) ? keep(schedule, run) : carryOut(await save(withRun(schedule, run)), run);
  }

  async function keep(schedule: StoredSchedule, run: ScheduleRun): Promise<ScheduleRun> {
    await save(withRun(schedule, run));
    return run;
  }

  async function carryOut(schedule: StoredSchedule, run: ScheduleRun): Promise<ScheduleRun> {
    const { id, session, envNames } = schedule;
    try {
      const { tags = [], ...rest } = session;
      await service.create(
        {
          ...rest,
          id: sessionIdOf(run),
          messageId: `schedule-${run.id}`,
          env: valuesOf(envNames, env),
          tags: [...tags, `schedule:${id}`],
        },
        `schedule ${id}`,
      );
      return await keep(schedule, { ...run, state: 'started' });
    } catch (error) {
      if (ending.signal.aborted) throw error;
      const fault = asRefusal(error).toFault();
      log(`schedule ${id}: ${fault.message}`);
      return keep(schedule, { ...run, state: 'failed', sessionId: null, endedAt: now(), error: fault });
    }
  }

  async function settle(schedule: StoredSchedule): Promise<StoredSchedule> {
    let settled = schedule;
    for (const run of schedule.runs) {
      if (run.state !== 'started' || run.sessionId === null) continue;
      const end = endOfRun(await store.getSession(run.sessionId));
      if (end) settled = await save(withRun(settled, { ...run, ...end, endedAt: now() }));
    }
    return settled;
  }

  async function lookAt(found: StoredSchedule): Promise<void> {
    const schedule = await settle(found);
    if (schedule.paused) return;
    const cron = parseCron(schedule.cron);
    const { dueAt, verdict, missed, seenAt } = dueRuns({ cron, missed: schedule.missed }, schedule.seenAt, now());
    if (seenAt === schedule.seenAt) return;
    const seen = { ...schedule, seenAt };
    const id = dueAt === null ? '' : `${schedule.id}${Math.floor(dueAt / MINUTE_MS).toString(36)}`;
    if (dueAt === null || seen.runs.some((run) => run.id === id)) {
      await save(seen);
      return;
    }
    const run = newRun({ id, dueAt, by: 'schedule', now: now() });
    const busy = seen.runs.find((each) => !isOver(each));
    const isInTheWay = schedule.overlap === 'skip' && busy !== undefined;
    if (verdict === 'skip') await begin(seen, skip(run, 'MISSED', missedWords(missed)));
    else if (isInTheWay)
      await begin(seen, skip(run, 'OVERLAP', `the session ${busy.sessionId} of an earlier run is still at work`));
    else await begin(seen, run);
  }

  function track(what: Promise<unknown>): void {
    const tracked = what
      .catch((error) => {
        if (!ending.signal.aborted) log(`schedules: ${messageOf(error)}`);
      })
      .finally(() => work.delete(tracked));
    work.add(tracked);
  }

  const look = async () => {
    await Promise.all([...(await all()).keys()].map((id) => on(id, lookAt)));
  };

  async function setTimer(): Promise<void> {
    clearTimeout(timer);
    if (ending.signal.aborted) return;
    const times = [...(await all()).values()].flatMap(({ paused, cron, seenAt }) =>
      paused ? [] : (nextTime(parseCron(cron), Math.max(seenAt, now())) ?? []),
    );
    clearTimeout(timer);
    const wait = Math.min(LOOK_MS, ...times.map((at) => at - now()));
    timer = setTimeout(tick, Math.max(0, wait));
    timer.unref();
  }
  const tick = () => {
    track(look());
    track(setTimer());
  };

  /** Runs that the daemon before was beginning when it died. */
  async function goOn(): Promise<void> {
    const left = (schedule: StoredSchedule) => schedule.runs.filter(({ state }) => state === 'starting');
    const resume = async (schedule: StoredSchedule) => {
      let current = schedule;
      for (const run of left(schedule)) {
        await carryOut(current, run);
        current = (await all()).get(schedule.id) ?? current;
      }
    };
    await Promise.all([...(await all()).keys()].map((id) => on(id, resume)));
  }

  async function followSessions(): Promise<void> {
    const { signal } = ending;
    while (!signal.aborted) {
      try {
        const revision = await store.revision();
        const schedules = [...(await all()).values()];
        const open = schedules.filter(({ runs }) => runs.some(({ state }) => state === 'started'));
        for (const { id } of open) await on(id, settle);
        await restFor(SETTLE_MS);
        await service.waitForChanges(revision, signal);
      } catch (error) {
        if (signal.aborted) return;
        log(`schedules: ${messageOf(error)}`);
        await restFor(LOOK_MS);
      }
    }
  }
  const restFor = (ms: number) => sleep(ms, undefined, { signal: ending.signal, ref: false }).catch(() => {});

  return {
    async list() {
      const shown = [...(await all()).values()].map((schedule) => showSchedule(schedule, now()));
      return shown.sort((a, b) => (a.nextAt ?? Infinity) - (b.nextAt ?? Infinity) || (a.id < b.id ? -1 : 1));
    },
    async create(given, who) {
      const { cron, missed = 'skip', overlap = 'skip', envNames = [] } = given;
      checkCron(cron);
      const session = StoredScheduleSchema.shape.session.parse(given.session);
      if (typeof session.worktree === 'object' && session.worktree.branch !== undefined)
        throw new DaemonError('VALIDATION_ERROR', 'every run needs a branch of its own', {
          hint: 'leave the name of the branch out: each gets amux/<id>',
        });
      await service.check(session);
      const schedules = await all();
      if (schedules.size >= MOST_SCHEDULES)
        throw new DaemonError('VALIDATION_ERROR', `there are ${MOST_SCHEDULES} schedules, which is the limit`, {
          hint: 'amux schedule rm ID removes one',
        });
      const at = now();
      const made = await save({
        id: newId(schedules),
        cron: cron.trim(),
        missed,
        overlap,
        paused: false,
        session,
        envNames,
        by: who,
        createdAt: at,
        updatedAt: at,
        seenAt: at,
        runs: [],
      });
      await audit(who, 'schedule.create', made, { cron: made.cron, agent: session.agent });
      track(setTimer());
      return showSchedule(made, at);
    },
    get: async (id) => showDetail(await find(id), now()),
    change: (id, patch, who) =>
      onFound(id, async (schedule) => {
        const { cron = schedule.cron, paused = schedule.paused, missed, overlap } = patch;
        checkCron(cron);
        // What was due while it was paused, or under another rule, is not made up for.
        const startsAnew = cron !== schedule.cron || (schedule.paused && !paused);
        const changed = await save({
          ...schedule,
          cron: cron.trim(),
          paused,
          missed: missed ?? schedule.missed,
          overlap: overlap ?? schedule.overlap,
          updatedAt: now(),
          seenAt: startsAnew ? now() : schedule.seenAt,
        });
        await audit(who, 'schedule.change', changed, { ...patch });
        track(setTimer());
        return showSchedule(changed, now());
      }),
    async remove(id, who) {
      await onFound(id, async (schedule) => {
        await store.deleteRecord(RECORD, schedule.id);
        (await all()).delete(schedule.id);
        await audit(who, 'schedule.remove', schedule);
        return true;
      });
    },
    run: (id, who) =>
      onFound(id, async (schedule) => {
        const run = newRun({ id: `${schedule.id}r${randomLetters(8)}`, dueAt: now(), by: who, now: now() });
        await audit(who, 'schedule.run', schedule, { runId: run.id });
        return begin(schedule, run);
      }),
    start() {
      track(goOn().then(tick));
      track(followSessions());
    },
    look,
    async stop() {
      ending.abort();
      clearTimeout(timer);
      await Promise.all(work);
    },
  };
}

async function loadAll(store: Store, log: (line: string) => void): Promise<Map<string, StoredSchedule>> {
  const schedules = new Map<string, StoredSchedule>();
  for (const { key, value } of await store.listRecords(RECORD)) {
    const read = StoredScheduleSchema.safeParse(value);
    if (read.success) schedules.set(key, read.data);
    else log(`schedule ${key} cannot be read, and is left as it is: ${read.error.issues[0]?.message ?? ''}`);
  }
  return schedules;
}

function checkCron(text: string): void {
  try {
    parseCron(text);
  } catch (error) {
    if (!(error instanceof CronError)) throw error;
    throw new DaemonError('VALIDATION_ERROR', `cron: ${error.message}`, {
      hint: 'e.g. "0 7 * * 1-5": at 7:00 from Monday to Friday',
      issues: [{ field: 'cron', problem: error.message }],
    });
  }
}

function newId(taken: ReadonlyMap<string, unknown>): string {
  for (;;) {
    const id = `t${randomLetters(7)}`;
    if (!taken.has(id)) return id;
  }
}
