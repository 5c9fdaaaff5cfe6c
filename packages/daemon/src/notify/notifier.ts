import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Notification, NotificationList, Session } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import { DaemonError } from '../daemon-error.ts';
import type { SessionService } from '../service.ts';
import type { Change, Store } from '../store/store.ts';
import { type News, newsOfRequest, newsOfSession, routesOf, wordsFor } from './news.ts';
import { DESKTOP, type NotifySettings } from './notify-settings.ts';
import { type Entry, isOpen, openOutbox, shownEntry } from './outbox.ts';
import { DEFAULT_TIMING, openPostman, type Timing } from './postman.ts';
import { showTarget } from './send.ts';

/** What is over so soon is not told: a rule has answered it, or the next message has begun. */
const GRACE_MS = 1_000;
/** What is older when it is found was not seen in time, and is told to nobody. */
const MOST_AGE_MS = 24 * 3_600_000;
/** Rows change many times a second while agents talk; they are looked at no more often. */
const LOOK_MS = 300;
const AFTER_TROUBLE_MS = 5_000;
/** How far the changes were read is written down this often where nothing came of them. */
const CURSOR_MS = 10_000;
const PAGE = 500;
/** Of sessions whose turns are remembered. */
const MOST_KNOWN = 5_000;
const CURSOR = ['notify', 'cursor'] as const;

export interface NotificationService {
  list(limit: number): Promise<NotificationList>;
  /** Tells one target, or each, something harmless; resolves when it is known what came of it. */
  test(target?: string): Promise<Notification[]>;
}

export interface Notifier extends NotificationService {
  start(): void;
  /** From now on these targets and rules count. */
  configure(settings: NotifySettings, problems: readonly string[]): void;
  stop(): Promise<void>;
}

interface Given {
  store: Store;
  service: Pick<SessionService, 'waitForChanges'>;
  settings: NotifySettings;
  /** What is wrong in the configuration, to be shown. */
  problems?: readonly string[];
  env: NodeJS.ProcessEnv;
  now(): number;
  log(line: string): void;
  timing?: Partial<Timing> & { graceMs?: number };
}

export function openNotifier({ store, service, env, now, log, timing = {}, ...given }: Given): Notifier {
  let { settings, problems = [] } = given;
  const { graceMs = GRACE_MS, ...rest } = timing;
  const ending = new AbortController();
  const { signal } = ending;
  const outbox = openOutbox({ store, now, log });
  const postman = openPostman({
    outbox,
    targets: () => settings.targets,
    isNews,
    release,
    env,
    now,
    log,
    timing: { ...DEFAULT_TIMING, ...rest },
  });
  /** Turns of a session that were seen: going back to idle without a further one is no news. */
  const turnsSeen = new Map<string, number>();
  let loaded: Promise<void> | undefined;
  let work: Promise<unknown> = Promise.resolve();
  let follower: { end: AbortController; done: Promise<void> } | undefined;
  let isStarted = false;
  const load = () => {
    loaded ??= outbox.load();
    return loaded;
  };

  /** It is asked right before it is sent for the first time; a request also before each further time. */
  async function isNews(entry: Entry): Promise<boolean> {
    if (entry.sessionId === null || (entry.attempts > 0 && entry.requestId === null)) return true;
    const session = await store.getSession(entry.sessionId);
    return session !== null && (await newsNow(entry, session))?.key === entry.key;
  }

  async function newsNow({ requestId }: Pick<Entry, 'requestId'>, session: Session): Promise<News | null> {
    if (requestId === null) return newsOfSession(session);
    const request = await store.getRequest(requestId);
    return request && newsOfRequest(request, session);
  }

  /** One word for all that came in quiet hours, for each target. What is over by now is not in it. */
  async function release(held: readonly Entry[]): Promise<void> {
    for (const target of new Set(held.map((entry) => entry.target))) {
      const mine = held.filter((entry) => entry.target === target);
      const fresh: Entry[] = [];
      for (const entry of mine) {
        // A turn that was over stays worth a line; what was asked does not, once it is answered.
        if (entry.requestId === null || (await isNews(entry))) fresh.push(entry);
        else await drop(entry, 'OVER', 'it was over when the quiet hours were');
      }
      const [only, ...others] = fresh;
      if (!only) continue;
      if (others.length === 0) await outbox.change(only, { outcome: 'waiting', nextAt: now(), attempts: 0 });
      else await addSummary(target, fresh);
    }
    postman.look();
  }

  async function addSummary(target: string, fresh: readonly Entry[]): Promise<void> {
    const ids = fresh.map(({ id }) => id);
    const lines = fresh
      .slice(0, 5)
      .map(({ title, text }) => `${title}${text === '' ? '' : `: ${text.split('\n')[0]}`}`);
    const more = fresh.length > lines.length ? [`and ${fresh.length - lines.length} more`] : [];
    const summary = await outbox.add({
      target,
      state: 'summary',
      sessionId: null,
      requestId: null,
      agent: '',
      project: '',
      of: ids,
      key: `summary:${ids.join(',')}`,
      title: `${fresh.length} things came in quiet hours`,
      text: [...lines, ...more].join('\n'),
      createdAt: now(),
      outcome: 'waiting',
      nextAt: now(),
      error: null,
    });
    for (const entry of fresh) await drop(entry, 'SUMMED_UP', `it is in the summary ${summary?.id ?? ''}`.trim());
  }

  const drop = (entry: Entry, code: string, message: string) =>
    outbox.change(entry, { outcome: 'dropped', endedAt: now(), nextAt: null, error: { code, message } });

  const dropHomeless = (entry: Entry) => drop(entry, 'NO_TARGET', `there is no target ${entry.target} any more`);

  async function consider({ kind, value }: Change): Promise<boolean> {
    if (!value || kind === 'message') return false;
    const news = kind === 'session' ? newsOfSession(value) : await requestNews(value);
    const isOld = kind === 'session' && news?.state === 'idle' && turnsSeen.get(value.id) === value.turns;
    const isAdded = news && !isOld && now() - news.at <= MOST_AGE_MS ? await note(news) : false;
    if (kind === 'session' && !isBetweenMessages(value)) {
      if (turnsSeen.size > MOST_KNOWN) turnsSeen.clear();
      turnsSeen.set(value.id, value.turns);
    }
    return isAdded;
  }

  async function note(news: News): Promise<boolean> {
    let isAdded = false;
    for (const { target, heldUntil, dropped } of routesOf(news, settings.rules, now(), env)) {
      const { title, text, project } = wordsFor(news, env);
      const outcome = dropped ? 'dropped' : heldUntil === null ? 'waiting' : 'held';
      const nextAt = dropped ? null : (heldUntil ?? now() + graceMs);
      const error = dropped ? { code: 'QUIET', message: 'it came in quiet hours' } : null;
      const { key, state, sessionId, requestId, agent } = news;
      const entry = { target, key, state, sessionId, requestId, agent, project, title, text, of: [] };
      isAdded = (await outbox.add({ ...entry, createdAt: now(), outcome, nextAt, error })) !== null || isAdded;
    }
    return isAdded;
  }

  async function requestNews(request: Extract<Change, { kind: 'request' }>['value'] & object): Promise<News | null> {
    if (request.state !== 'open') return null;
    const session = await store.getSession(request.sessionId);
    return session && newsOfRequest(request, session);
  }

  async function follow(signal: AbortSignal): Promise<void> {
    const kept = await store.getRecord(...CURSOR);
    const newest = await store.revision();
    // A store that somebody has put back knows less than was seen.
    let after = typeof kept === 'number' ? Math.min(kept, newest) : newest;
    await store.putRecord(...CURSOR, after, now());
    let savedAt = now();
    while (!signal.aborted) {
      try {
        const page = await store.readChanges(after, PAGE);
        let isAdded = false;
        for (const change of page.changes) isAdded = (await consider(change)) || isAdded;
        const isMoved = page.last !== after;
        after = page.last;
        if (isMoved && (isAdded || Math.abs(now() - savedAt) > CURSOR_MS)) {
          await store.putRecord(...CURSOR, after, now());
          savedAt = now();
        }
        if (isAdded) postman.look();
        if (page.more) continue;
        await restFor(LOOK_MS, signal);
        await service.waitForChanges(after, signal);
      } catch (error) {
        if (signal.aborted) return;
        log(`notify: ${messageOf(error)}`);
        await restFor(AFTER_TROUBLE_MS, signal);
      }
    }
  }
  const restFor = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal, ref: false }).catch(() => {});

  /** What the daemon before was doing when it died: a receiver of webhooks knows what it has seen, the others are told once at most. */
  async function goOn(): Promise<void> {
    await load();
    const summed = new Set(outbox.all().flatMap(({ of }) => of));
    for (const entry of outbox.all().filter(isOpen)) {
      const target = settings.targets.get(entry.target);
      if (!target) await dropHomeless(entry);
      else if (entry.outcome === 'held' && summed.has(entry.id)) await drop(entry, 'SUMMED_UP', 'it is in a summary');
      else if (entry.outcome !== 'sending') continue;
      else if (target.type === 'webhook') await outbox.change(entry, { outcome: 'waiting', nextAt: now() });
      else {
        const error = { code: 'DAEMON_ENDED', message: 'the daemon ended while it was sent' };
        await outbox.change(entry, { outcome: 'unknown', endedAt: now(), nextAt: null, error });
      }
    }
    postman.look();
    await followWhileRuled();
  }

  /** Whoever writes the first rule is told of what comes then, not of what was. */
  async function followWhileRuled(): Promise<void> {
    if (settings.rules.length > 0) {
      follower ??= startFollowing();
      return;
    }
    follower?.end.abort();
    await follower?.done;
    follower = undefined;
    await store.deleteRecord(...CURSOR);
  }

  function startFollowing(): NonNullable<typeof follower> {
    const end = new AbortController();
    const done = follow(AbortSignal.any([signal, end.signal])).catch((error) => log(`notify: ${messageOf(error)}`));
    return { end, done };
  }

  /** Others count now: what waits for a target that is gone is dropped. */
  async function takeUp(): Promise<void> {
    for (const entry of outbox.all())
      if (entry.outcome !== 'sending' && isOpen(entry) && !settings.targets.has(entry.target))
        await dropHomeless(entry);
    postman.look();
    if (!signal.aborted) await followWhileRuled();
  }

  async function testOne(name: string): Promise<Notification> {
    const target = settings.targets.get(name) ?? (name === DESKTOP.name ? DESKTOP : undefined);
    if (!target)
      throw new DaemonError('NOT_FOUND', `there is no target "${name}"`, {
        hint: 'amux notify list shows those that the configuration has',
      });
    const entry = await outbox.add({
      target: name,
      key: `test:${randomUUID()}`,
      state: 'test',
      sessionId: null,
      requestId: null,
      agent: '',
      project: '',
      of: [],
      title: 'A test of agent-mux',
      text: 'If you can read this, it works.',
      createdAt: now(),
      outcome: 'sending',
      nextAt: null,
      error: null,
    });
    if (!entry) throw new Error('a test was noted before');
    return shownEntry(isOpen(entry) ? await postman.attempt(entry, target, false) : entry);
  }

  return {
    async list(limit) {
      await load();
      const notifications = outbox.all().toReversed().slice(0, limit).map(shownEntry);
      return { targets: [...settings.targets.values()].map(showTarget), notifications, problems: [...problems] };
    },
    async test(target) {
      await load();
      return Promise.all((target === undefined ? [...settings.targets.keys()] : [target]).map(testOne));
    },
    start() {
      isStarted = true;
      work = goOn().catch((error) => log(`notify: ${messageOf(error)}`));
    },
    configure(next, faults) {
      settings = next;
      problems = faults;
      if (isStarted) work = work.then(takeUp).catch((error) => log(`notify: ${messageOf(error)}`));
    },
    async stop() {
      ending.abort();
      await Promise.all([work, postman.stop()]);
      await follower?.done;
    },
  };
}

/** The next turn will begin by itself. */
function isBetweenMessages({ activity, queuedMessages }: Session): boolean {
  return activity === 'idle' && queuedMessages > 0;
}
