import { basename } from 'node:path';
import type { Request, Session } from '@agent-mux/api';
import { expandPath, isRecord, redactSecrets, secretsOf } from '@agent-mux/core';
import { toLine } from '../activity/status-text.ts';
import type { NotifiedState, Rule } from './notify-settings.ts';
import { quietUntil } from './quiet-hours.ts';

/** Something that a person may want to be notified about, once. */
export interface Notice {
  /** Identifies what happened, to detect duplicates: a request, the end of a turn, the end of a process. */
  key: string;
  state: NotifiedState;
  at: number;
  sessionId: string;
  requestId: string | null;
  agent: string;
  /** Title of the session. */
  name: string | null;
  /** Working directory of the session, and the repository of its worktree. */
  folders: readonly string[];
  /** The question or the error message. */
  text: string;
}

/** Null if the request needs no answer from a person. */
export function noticeForRequest(request: Request, session: Session): Notice | null {
  if (request.state !== 'open' || request.answer !== null) return null;
  return {
    ...about(session),
    key: `request:${request.id}`,
    state: request.kind === 'approval' ? 'blocked' : 'waiting_input',
    at: request.createdAt,
    requestId: request.id,
    text: requestText(request),
  };
}

/**
 * Notice for the current row. Null while the session is running or has not started. Requests have their own notices.
 */
export function noticeForSession(session: Session): Notice | null {
  const { activity, isTerminated, error, limit, launch, turns, activitySince } = session;
  const base = { ...about(session), at: activitySince, requestId: null };
  if (isTerminated) {
    const state = error ? 'failed' : 'exited';
    return { ...base, key: `end:${launch}`, state, text: error?.message ?? '' };
  }
  if (activity === 'limited')
    return { ...base, key: `limit:${launch}:${turns}`, state: 'limited', text: limit?.message ?? '' };
  if (activity !== 'idle' || session.queuedMessages > 0) return null;
  if (error) return { ...base, key: `error:${launch}:${turns}:${error.code}`, state: 'failed', text: error.message };
  return turns > 0 ? { ...base, key: `turn:${turns}`, state: 'idle', text: '' } : null;
}

function about({ id, agent, title, cwd, workspace }: Session) {
  const folders = workspace.kind === 'worktree' ? [cwd, workspace.repository] : [cwd];
  return { sessionId: id, agent, name: title, folders };
}

function requestText({ event }: Request): string {
  if (typeof event.title === 'string') return event.title;
  const [first]: unknown[] = Array.isArray(event.questions) ? event.questions : [];
  return isRecord(first) && typeof first.question === 'string' ? first.question : '';
}

export interface Route {
  target: string;
  /** End of the quiet hours. */
  heldUntil: number | null;
  dropped: boolean;
}

/** Targets of a notice: each target once, by the first rule that names it. */
export function routesOf(notice: Notice, rules: readonly Rule[], now: number, env: NodeJS.ProcessEnv): Route[] {
  const routes = new Map<string, Route>();
  for (const rule of rules) {
    if (!matches(rule, notice, env)) continue;
    const heldUntil = rule.quietHours ? quietUntil(rule.quietHours, now) : null;
    const dropped = heldUntil !== null && rule.inQuietHours === 'drop';
    for (const target of rule.to) if (!routes.has(target)) routes.set(target, { target, heldUntil, dropped });
  }
  return [...routes.values()];
}

function matches({ when, agents, projects }: Rule, notice: Notice, env: NodeJS.ProcessEnv): boolean {
  if (!when.includes(notice.state)) return false;
  if (agents && !agents.includes(notice.agent)) return false;
  return !projects || projects.some((project) => notice.folders.some((folder) => isIn(folder, project, env)));
}

function isIn(folder: string, project: string, env: NodeJS.ProcessEnv): boolean {
  if (!/[/\\]/.test(project) && project !== '~') return basename(folder) === project;
  const path = expandPath(project, env, '/').replace(/(?<=.)\/+$/, '');
  return folder === path || folder.startsWith(path === '/' ? path : `${path}/`);
}

export interface NoticeText {
  /** `claude requests approval in app`. */
  title: string;
  /** Title of the session and text of the notice, one line each. */
  text: string;
  project: string;
}

const VERBS: Readonly<Record<NotifiedState, string>> = {
  blocked: 'requests approval',
  waiting_input: 'has a question',
  limited: 'hit a limit',
  failed: 'failed',
  exited: 'has ended',
  idle: 'is done',
};

/** Everything that is sent to a target: short, and without secrets. */
export function noticeText(notice: Notice, env: NodeJS.ProcessEnv): NoticeText {
  const secrets = secretsOf(env);
  const clean = (text: string) => toLine(redactSecrets(text.slice(0, 10_000), secrets));
  const project = clean(basename(notice.folders.at(-1) ?? ''));
  const lines = [clean(notice.name ?? ''), clean(notice.text)].filter((line) => line !== '');
  return { title: clean(`${notice.agent} ${VERBS[notice.state]} in ${project}`), text: lines.join('\n'), project };
}
