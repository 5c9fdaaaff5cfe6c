import { basename } from 'node:path';
import type { Request, Session } from '@agent-mux/api';
import { expandPath, isRecord, redactSecrets, secretsOf } from '@agent-mux/core';
import { toLine } from '../activity/last-line.ts';
import type { NotifiedState, Rule } from './notify-settings.ts';
import { quietUntil } from './quiet-hours.ts';

/** Something that a person may want to hear of, once. */
export interface News {
  /** What happened, so that the same is known again: a request, the end of a turn, the end of a process. */
  key: string;
  state: NotifiedState;
  at: number;
  sessionId: string;
  requestId: string | null;
  agent: string;
  /** Of the session. */
  name: string | null;
  /** Where it works, and the repository of its worktree. */
  folders: readonly string[];
  /** What is asked, or what went wrong. */
  text: string;
}

/** Null: it waits for nobody. */
export function newsOfRequest(request: Request, session: Session): News | null {
  if (request.state !== 'open' || request.answer !== null) return null;
  return {
    ...about(session),
    key: `request:${request.id}`,
    state: request.kind === 'approval' ? 'blocked' : 'waiting_input',
    at: request.createdAt,
    requestId: request.id,
    text: askedBy(request),
  };
}

/** What its row says now. Null: it works, or has not begun. What it asks is told by its requests. */
export function newsOfSession(session: Session): News | null {
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

function askedBy({ event }: Request): string {
  if (typeof event.title === 'string') return event.title;
  const [first]: unknown[] = Array.isArray(event.questions) ? event.questions : [];
  return isRecord(first) && typeof first.question === 'string' ? first.question : '';
}

export interface Route {
  target: string;
  /** Not before the quiet hours are over. */
  heldUntil: number | null;
  dropped: boolean;
}

/** Where it goes: each target once, by the first rule that names it. */
export function routesOf(news: News, rules: readonly Rule[], now: number, env: NodeJS.ProcessEnv): Route[] {
  const routes = new Map<string, Route>();
  for (const rule of rules) {
    if (!matches(rule, news, env)) continue;
    const heldUntil = rule.quietHours ? quietUntil(rule.quietHours, now) : null;
    const dropped = heldUntil !== null && rule.inQuietHours === 'drop';
    for (const target of rule.to) if (!routes.has(target)) routes.set(target, { target, heldUntil, dropped });
  }
  return [...routes.values()];
}

function matches({ when, agents, projects }: Rule, news: News, env: NodeJS.ProcessEnv): boolean {
  if (!when.includes(news.state)) return false;
  if (agents && !agents.includes(news.agent)) return false;
  return !projects || projects.some((project) => news.folders.some((folder) => isIn(folder, project, env)));
}

function isIn(folder: string, project: string, env: NodeJS.ProcessEnv): boolean {
  if (!/[/\\]/.test(project) && project !== '~') return basename(folder) === project;
  const path = expandPath(project, env, '/').replace(/(?<=.)\/+$/, '');
  return folder === path || folder.startsWith(path === '/' ? path : `${path}/`);
}

export interface Words {
  /** `claude asks in app`. */
  title: string;
  /** What the session is called, and what is asked, each in a line. */
  text: string;
  project: string;
}

const VERBS: Readonly<Record<NotifiedState, string>> = {
  blocked: 'asks for leave',
  waiting_input: 'has a question',
  limited: 'has met a limit',
  failed: 'has failed',
  exited: 'has ended',
  idle: 'is done',
};

/** All that leaves this machine of it: short, and without secrets. */
export function wordsFor(news: News, env: NodeJS.ProcessEnv): Words {
  const secrets = secretsOf(env);
  const clean = (text: string) => toLine(redactSecrets(text.slice(0, 10_000), secrets));
  const project = clean(basename(news.folders.at(-1) ?? ''));
  const lines = [clean(news.name ?? ''), clean(news.text)].filter((line) => line !== '');
  return { title: clean(`${news.agent} ${VERBS[news.state]} in ${project}`), text: lines.join('\n'), project };
}
