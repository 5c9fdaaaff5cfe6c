import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Notification, NotificationList, Session } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core';
import { DaemonError } from '../daemon-error.ts';
import type { SessionService } from '../service.ts';
import type { Change, Store } from '../store/store.ts';
import { type Notice, noticeForRequest, noticeForSession, noticeText, routesOf } from './notices.ts';
import { DESKTOP, type NotifySettings } from './notify-settings.ts';
import { type Entry, isOpen, openOutbox, shownEntry } from './outbox.ts';
import { showTarget } from './send.ts';
import { DEFAULT_TIMING, startSender, type Timing } from './sender.ts';

/** What is resolved within this time is not sent: a rule answered it, or the next message started. */
const GRACE_MS = 1_000;
/** Older states were not seen in time and are not sent. */
const MAX_AGE_MS = 24 * 3_600_000;
/** Rows change many times a second while agents write; this is the minimum time between two reads. */
const READ_PAUSE_MS = 300;
const ERROR_PAUSE_MS = 5_000;
/** How often the position in the change log is stored if nothing was sent. */
const CURSOR_MS = 10_000;
const PAGE = 500;
/** Maximum number of sessions whose turns are remembered. */
const MAX_KNOWN = 5_000;
const CURSOR = ['notify', 'cursor'] as const;

export interface NotificationService {
  list(limit: number): Promise<NotificationList>;
  /** Sends a test notification to one target, or to each; resolves with the outcome. */
  test(target?: string): Promise<Notification[]>;
}

export interface Notifier extends NotificationService {
  start(): void;
  /** Replaces the targets and rules. */
  configure(settings: NotifySettings, problems: readonly string[]): void;
  stop(): Promise<void>;
}

interface NotifierOptions {
  store: Store;
  service: Pick<SessionService, 'waitForChanges'>;
  settings: NotifySettings;
  /** Configuration problems, to be shown. */
  problems?: readonly string[];
  env: NodeJS.ProcessEnv;
  now(): number;
  log(line: string): void;
  timing?: Partial<Timing> & { graceMs?: number };
}

export function openNotifier({ store, service, env, now, log, timing = {}, ...options }: NotifierOptions): Notifier {
  let { settings, problems = [] } = options;
  const { graceMs = GRACE_MS, ...rest } = timing;
  const ending = new AbortController();
  const { signal } = ending;
  const outbox = openOutbox({ store, now, log });
  const sender = startSender({
    outbox,
    targets: () => settings.targets,
    isCurrent,
    release,
    env,
    now,
    log,
    timing: { ...DEFAULT_TIMING, ...rest },
  });
  /** Number of turns seen per session: a return to idle without another turn is not worth a notification. */
  const turnsSeen = new Map<string, number>();
  let loaded: Promise<void> | undefined;
  let work: Promise<unknown> = Promise.resolve();
  let follower: { end: AbortController; done: Promise<void> } | undefined;
  let isStarted = false;
  const load = () => {
    loaded ??= outbox.load();
    return loaded;
  };

  /** Checked right before the first attempt; for a request also before each retry. */
  async function isCurrent(entry: Entry): Promise<boolean> {
    if (entry.sessionId === null || (entry.attempts > 0 && entry.requestId === null)) return true;
    const session = await store.getSession(entry.sessionId);
    return session !== null && (await currentNotice(entry, session))?.key === entry.key;
  }

  async function currentNotice({ requestId }: Pick<Entry, 'requestId'>, session: Session): Promise<Notice | null> {
    if (requestId === null) return noticeForSession(session);
    const request = await store.getRequest(requestId);
    return request && noticeForRequest(request, session);
  }

  /** Sends one summary per target after quiet hours, without what is resolved by then. */
  async function release(held: readonly Entry[]): Promise<void> {
    for (const target of new Set(held.map((entry) => entry.target))) {
      const mine = held.filter((entry) => entry.target === target);
      const fresh: Entry[] = [];
      for (const entry of mine) {
        // A finished turn stays relevant; a request does not once it is answered.
        if (entry.requestId === null || (await isCurrent(entry))) fresh.push(entry);
        else await drop(entry, 'OVER', 'resolved before the quiet hours ended');
      }
      const [only, ...others] = fresh;
      if (!only) continue;
      if (others.length === 0) await outbox.change(only, { outcome: 'pending', nextAttemptAt: now(), attempts: 0 });
      else await addSummary(target, fresh);
    }
    sender.check();
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
      title: `${fresh.length} notifications during quiet hours`,
      text: [...lines, ...more].join('\n'),
      createdAt: now(),
      outcome: 'pending',
      nextAttemptAt: now(),
      error: null,
    });
    for (const entry of fresh) await drop(entry, 'SUMMED_UP', `included in summary ${summary?.id ?? ''}`.trim());
  }

  const drop = (entry: Entry, code: string, message: string) =>
    outbox.change(entry, { outcome: 'dropped', endedAt: now(), nextAttemptAt: null, error: { code, message } });

  const dropOrphan = (entry: Entry) => drop(entry, 'NO_TARGET', `target "${entry.target}" no longer exists`);

  async function consider({ kind, value }: Change): Promise<boolean> {
    if (!value || kind === 'message') return false;
    const notice = kind === 'session' ? noticeForSession(value) : await noticeOf(value);
    const isOld = kind === 'session' && notice?.state === 'idle' && turnsSeen.get(value.id) === value.turns;
    const isAdded = notice && !isOld && now() - notice.at <= MAX_AGE_MS ? await note(notice) : false;
    if (kind === 'session' && !isBetweenMessages(value)) {
      if (turnsSeen.size > MAX_KNOWN) turnsSeen.clear();
      turnsSeen.set(value.id, value.turns);
    }
    return isAdded;
  }

  async function note(notice: Notice): Promise<boolean> {
    let isAdded = false;
    for (const { target, heldUntil, dropped } of routesOf(notice, settings.rules, now(), env)) {
      const { title, text, project } = noticeText(notice, env);
      const outcome = dropped ? 'dropped' : heldUntil === null ? 'pending' : 'held';
      const nextAttemptAt = dropped ? null : (heldUntil ?? now() + graceMs);
      const error = dropped ? { code: 'QUIET', message: 'dropped during quiet hours' } : null;
      const { key, state, sessionId, requestId, agent } = notice;
      const entry = { target, key, state, sessionId, requestId, agent, project, title, text, of: [] };
      isAdded = (await outbox.add({ ...entry, createdAt: now(), outcome, nextAttemptAt, error })) !== null || isAdded;
    }
    return isAdded;
  }

  async function noticeOf(request: Extract<Change, { kind: 'request' }>['value'] & object): Promise<Notice | null> {
    if (request.state !== 'open') return null;
    const session = await store.getSession(request.sessionId);
    return session && noticeForRequest(request, session);
  }

  async function follow(signal: AbortSignal): Promise<void> {
    const stored = await store.getRecord(...CURSOR);
    const newest = await store.revision();
    // A store restored from a backup has fewer changes than were seen.
    let after = typeof stored === 'number' ? Math.min(stored, newest) : newest;
    await store.putRecord(...CURSOR, after, now());
    let savedAt = now();
    while (!signal.aborted) {
      try {
        const page = await store.readChanges(after, PAGE);
        let isAdded = false;
        for (const change of page.changes) isAdded = (await consider(change)) || isAdded;
        const isMoved = page.lastRev !== after;
        after = page.lastRev;
        if (isMoved && (isAdded || Math.abs(now() - savedAt) > CURSOR_MS)) {
          await store.putRecord(...CURSOR, after, now());
          savedAt = now();
        }
        if (isAdded) sender.check();
        if (page.hasMore) continue;
        await pause(READ_PAUSE_MS, signal);
        await service.waitForChanges(after, signal);
      } catch (error) {
        if (signal.aborted) return;
        log(`notify: ${messageOf(error)}`);
        await pause(ERROR_PAUSE_MS, signal);
      }
    }
  }
  const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal, ref: false }).catch(() => {});

  /**
   * Resumes what the previous daemon was sending: webhook receivers detect duplicates, other targets get at most one
   * attempt.
   */
  async function resume(): Promise<void> {
    await load();
    const summed = new Set(outbox.all().flatMap(({ of }) => of));
    for (const entry of outbox.all().filter(isOpen)) {
      const target = settings.targets.get(entry.target);
      if (!target) await dropOrphan(entry);
      else if (entry.outcome === 'held' && summed.has(entry.id))
        await drop(entry, 'SUMMED_UP', 'included in a summary');
      else if (entry.outcome !== 'sending') continue;
      else if (target.type === 'webhook') await outbox.change(entry, { outcome: 'pending', nextAttemptAt: now() });
      else {
        const error = { code: 'DAEMON_ENDED', message: 'the daemon ended while sending' };
        await outbox.change(entry, { outcome: 'unknown', endedAt: now(), nextAttemptAt: null, error });
      }
    }
    sender.check();
    await followIfNeeded();
  }

  /** Follows changes only while there are rules; the first rule applies to what happens after it was added. */
  async function followIfNeeded(): Promise<void> {
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

  /** Applies a new configuration: entries for removed targets are dropped. */
  async function applyConfig(): Promise<void> {
    for (const entry of outbox.all())
      if (entry.outcome !== 'sending' && isOpen(entry) && !settings.targets.has(entry.target)) await dropOrphan(entry);
    sender.check();
    if (!signal.aborted) await followIfNeeded();
  }

  async function testOne(name: string): Promise<Notification> {
    const target = settings.targets.get(name) ?? (name === DESKTOP.name ? DESKTOP : undefined);
    if (!target)
      throw new DaemonError('NOT_FOUND', `unknown target "${name}"`, {
        hint: 'run "amux notify list" to list the configured targets',
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
      title: 'Test notification from agent-mux',
      text: 'If you can read this, notifications work.',
      createdAt: now(),
      outcome: 'sending',
      nextAttemptAt: null,
      error: null,
    });
    if (!entry) throw new Error('duplicate test notification');
    return shownEntry(isOpen(entry) ? await sender.attempt(entry, target, false) : entry);
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
      work = resume().catch((error) => log(`notify: ${messageOf(error)}`));
    },
    configure(next, issues) {
      settings = next;
      problems = issues;
      if (isStarted) work = work.then(applyConfig).catch((error) => log(`notify: ${messageOf(error)}`));
    },
    async stop() {
      ending.abort();
      await Promise.all([work, sender.stop()]);
      await follower?.done;
    },
  };
}

/** The next turn starts automatically. */
function isBetweenMessages({ activity, queuedMessages }: Session): boolean {
  return activity === 'idle' && queuedMessages > 0;
}
