import { setTimeout as sleep } from 'node:timers/promises';
import type { NewSchedule, Schedule, ScheduleDetail, SchedulePatch, ScheduleRun } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import { DaemonError } from '../daemon-error.ts';
import type { Actor, SessionService } from '../service.ts';
import { randomLetters } from '../sessions/ids.ts';
import { asRefusal } from '../sessions/keeper-link.ts';
import { KeyedMutex } from '../sessions/keyed-mutex.ts';
import type { Store } from '../store/store.ts';
import { CronError, parseCron } from './cron.ts';
import { dueRuns } from './due-runs.ts';
import { formatMissed, newRun, sessionIdOf, skip, valuesOf } from './new-run.ts';
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

/** Operations on schedules. */
export interface ScheduleService {
  list(): Promise<Schedule[]>;
  create(options: NewSchedule, actor: Actor): Promise<Schedule>;
  get(id: string): Promise<ScheduleDetail>;
  change(id: string, patch: SchedulePatch, actor: Actor): Promise<Schedule>;
  remove(id: string, actor: Actor): Promise<void>;
  run(id: string, actor: Actor): Promise<ScheduleRun>;
}

export interface Schedules extends ScheduleService {
  /** Resumes runs that a previous daemon was starting, and starts checking the clock. */
  start(): void;
  /** Starts due runs and records the outcome of finished ones. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

interface SchedulesOptions {
  store: Store;
  service: Pick<SessionService, 'create' | 'check' | 'waitForChanges'>;
  /** The daemon's environment, from which runs take their variables. */
  env: NodeJS.ProcessEnv;
  now(): number;
  log(line: string): void;
}

const RECORD = 'schedule';
/** Maximum number of schedules. */
const MAX_SCHEDULES = 200;
/** Maximum time between checks: the clock may be set, and machines sleep. */
const CHECK_MS = 30_000;
/** Minimum time between checks for finished runs: sessions change many times a second. */
const OUTCOME_CHECK_MS = 1_000;

export function openSchedules({ store, service, env, now, log }: SchedulesOptions): Schedules {
  const mutex = new KeyedMutex();
  const ending = new AbortController();
  const tasks = new Set<Promise<unknown>>();
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
      throw new DaemonError('NOT_FOUND', `schedule "${id}" not found`, {
        hint: 'run "amux schedule list" to list schedules',
      });
    if (second)
      throw new DaemonError('AMBIGUOUS_ID', `"${id}" is ambiguous: it matches several schedules`, {
        hint: 'use a longer prefix',
      });
    return first;
  }
  const audit = (actor: Actor, action: string, { id }: StoredSchedule, detail: Record<string, unknown> = {}) =>
    store.appendAudit({ timestamp: now(), actor, action, sessionId: null, detail: { scheduleId: id, ...detail } });

  /** Runs one action at a time per schedule, on its current state. Undefined: it was removed in the meantime. */
  const on = <Result>(id: string, act: (schedule: StoredSchedule) => Promise<Result>) =>
    mutex.run(id, async () => {
      const schedule = (await all()).get(id);
      return schedule ? act(schedule) : undefined;
    });
  const onFound = async <Result>(id: string, act: (schedule: StoredSchedule) => Promise<Result>): Promise<Result> => {
    const done = await on((await find(id)).id, act);
    if (done === undefined) throw new DaemonError('NOT_FOUND', `schedule "${id}" not found`);
    return done;
  };

  /** Saves the run as starting first. The session id derives from the run, so that no session is created twice. */
  async function startRun(schedule: StoredSchedule, run: ScheduleRun): Promise<ScheduleRun> {
    return isOver(run) ? saveRun(schedule, run) : createSession(await save(withRun(schedule, run)), run);
  }

  async function saveRun(schedule: StoredSchedule, run: ScheduleRun): Promise<ScheduleRun> {
    await save(withRun(schedule, run));
    return run;
  }

  async function createSession(schedule: StoredSchedule, run: ScheduleRun): Promise<ScheduleRun> {
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
      return await saveRun(schedule, { ...run, state: 'started' });
    } catch (error) {
      if (ending.signal.aborted) throw error;
      const issue = asRefusal(error).toErrorInfo();
      log(`schedule ${id}: ${issue.message}`);
      return saveRun(schedule, { ...run, state: 'failed', sessionId: null, endedAt: now(), error: issue });
    }
  }

  async function recordOutcomes(schedule: StoredSchedule): Promise<StoredSchedule> {
    let current = schedule;
    for (const run of schedule.runs) {
      if (run.state !== 'started' || run.sessionId === null) continue;
      const end = endOfRun(await store.getSession(run.sessionId));
      if (end) current = await save(withRun(current, { ...run, ...end, endedAt: now() }));
    }
    return current;
  }

  async function checkSchedule(found: StoredSchedule): Promise<void> {
    const schedule = await recordOutcomes(found);
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
    const overlaps = schedule.overlap === 'skip' && busy !== undefined;
    if (verdict === 'skip') await startRun(seen, skip(run, 'MISSED', formatMissed(missed)));
    else if (overlaps)
      await startRun(seen, skip(run, 'OVERLAP', `the session ${busy.sessionId} of an earlier run is still running`));
    else await startRun(seen, run);
  }

  function track(what: Promise<unknown>): void {
    const tracked = what
      .catch((error) => {
        if (!ending.signal.aborted) log(`schedules: ${messageOf(error)}`);
      })
      .finally(() => tasks.delete(tracked));
    tasks.add(tracked);
  }

  const check = async () => {
    await Promise.all([...(await all()).keys()].map((id) => on(id, checkSchedule)));
  };

  async function setTimer(): Promise<void> {
    clearTimeout(timer);
    if (ending.signal.aborted) return;
    const times = [...(await all()).values()].flatMap(({ paused, cron, seenAt }) =>
      paused ? [] : (nextTime(parseCron(cron), Math.max(seenAt, now())) ?? []),
    );
    clearTimeout(timer);
    const wait = Math.min(CHECK_MS, ...times.map((at) => at - now()));
    timer = setTimeout(tick, Math.max(0, wait));
    timer.unref();
  }
  const tick = () => {
    track(check());
    track(setTimer());
  };

  /** Resumes runs that the previous daemon was starting when it died. */
  async function resumeRuns(): Promise<void> {
    const left = (schedule: StoredSchedule) => schedule.runs.filter(({ state }) => state === 'starting');
    const resume = async (schedule: StoredSchedule) => {
      let current = schedule;
      for (const run of left(schedule)) {
        await createSession(current, run);
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
        for (const { id } of open) await on(id, recordOutcomes);
        await pause(OUTCOME_CHECK_MS);
        await service.waitForChanges(revision, signal);
      } catch (error) {
        if (signal.aborted) return;
        log(`schedules: ${messageOf(error)}`);
        await pause(CHECK_MS);
      }
    }
  }
  const pause = (ms: number) => sleep(ms, undefined, { signal: ending.signal, ref: false }).catch(() => {});

  return {
    async list() {
      const shown = [...(await all()).values()].map((schedule) => showSchedule(schedule, now()));
      return shown.sort((a, b) => (a.nextRunAt ?? Infinity) - (b.nextRunAt ?? Infinity) || (a.id < b.id ? -1 : 1));
    },
    async create(options, actor) {
      const { cron, missed = 'skip', overlap = 'skip', envNames = [] } = options;
      assertCron(cron);
      const session = StoredScheduleSchema.shape.session.parse(options.session);
      if (typeof session.worktree === 'object' && session.worktree.branch !== undefined)
        throw new DaemonError('VALIDATION_ERROR', 'every run needs its own branch', {
          hint: 'omit the branch name: each run gets amux/<id>',
        });
      await service.check(session);
      const schedules = await all();
      if (schedules.size >= MAX_SCHEDULES)
        throw new DaemonError('VALIDATION_ERROR', `the limit of ${MAX_SCHEDULES} schedules is reached`, {
          hint: 'run "amux schedule remove ID" to remove one',
        });
      const at = now();
      const created = await save({
        id: newId(schedules),
        cron: cron.trim(),
        missed,
        overlap,
        paused: false,
        session,
        envNames,
        by: actor,
        createdAt: at,
        updatedAt: at,
        seenAt: at,
        runs: [],
      });
      await audit(actor, 'schedule.create', created, { cron: created.cron, agent: session.agent });
      track(setTimer());
      return showSchedule(created, at);
    },
    get: async (id) => showDetail(await find(id), now()),
    change: (id, patch, actor) =>
      onFound(id, async (schedule) => {
        const { cron = schedule.cron, paused = schedule.paused, missed, overlap } = patch;
        assertCron(cron);
        // Runs that were due while paused, or under another expression, are not made up for.
        const isRestarted = cron !== schedule.cron || (schedule.paused && !paused);
        const changed = await save({
          ...schedule,
          cron: cron.trim(),
          paused,
          missed: missed ?? schedule.missed,
          overlap: overlap ?? schedule.overlap,
          updatedAt: now(),
          seenAt: isRestarted ? now() : schedule.seenAt,
        });
        await audit(actor, 'schedule.change', changed, { ...patch });
        track(setTimer());
        return showSchedule(changed, now());
      }),
    async remove(id, actor) {
      await onFound(id, async (schedule) => {
        await store.deleteRecord(RECORD, schedule.id);
        (await all()).delete(schedule.id);
        await audit(actor, 'schedule.remove', schedule);
        return true;
      });
    },
    run: (id, actor) =>
      onFound(id, async (schedule) => {
        const run = newRun({ id: `${schedule.id}r${randomLetters(8)}`, dueAt: now(), by: actor, now: now() });
        await audit(actor, 'schedule.run', schedule, { runId: run.id });
        return startRun(schedule, run);
      }),
    start() {
      track(resumeRuns().then(tick));
      track(followSessions());
    },
    check,
    async stop() {
      ending.abort();
      clearTimeout(timer);
      await Promise.all(tasks);
    },
  };
}

async function loadAll(store: Store, log: (line: string) => void): Promise<Map<string, StoredSchedule>> {
  const schedules = new Map<string, StoredSchedule>();
  for (const { key, value } of await store.listRecords(RECORD)) {
    const read = StoredScheduleSchema.safeParse(value);
    if (read.success) schedules.set(key, read.data);
    else log(`schedule ${key} cannot be read and is ignored: ${read.error.issues[0]?.message ?? ''}`);
  }
  return schedules;
}

function assertCron(text: string): void {
  try {
    parseCron(text);
  } catch (error) {
    if (!(error instanceof CronError)) throw error;
    throw new DaemonError('VALIDATION_ERROR', `cron: ${error.message}`, {
      hint: 'for example "0 7 * * 1-5": at 7:00 from Monday to Friday',
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
