import { rm, stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { NewSession, Session } from '@agent-mux/api';
import { optionFaults } from '@agent-mux/core';
import { DaemonError, refusalOf } from '../daemon-error.ts';
import type { Who } from '../service.ts';
import type { StoredSession } from '../store/store.ts';
import { removeWorktree } from '../workspaces/save-work.ts';
import { createWorktree, dropUnfinished, type WorktreeWish, worktreeOf } from '../workspaces/worktree.ts';
import { deliverNext } from './deliver.ts';
import { type Desk, tellChange } from './desk.ts';
import { emptyRow } from './empty-row.ts';
import { rememberEnvironment } from './environment.ts';
import { createMessageId, createSessionId } from './ids.ts';
import { addMessage } from './send.ts';

/** What the daemon decides itself, or what only a caller in the same process could mean. */
const NOT_FOR_SESSIONS = [
  'agent',
  'prompt',
  'cwd',
  'env',
  'sessionId',
  'forkSessionId',
  'noSession',
  'runId',
  'interactive',
  'signal',
  'onApprovalRequest',
  'onInputRequired',
  'attachments',
];

export interface Origin {
  nativeId?: string;
  forkSessionId?: string;
  forkedFrom?: string;
  summary?: string;
  /** Of a fork: what its worktree starts from, and the folder in it to work in. */
  worktree?: WorktreeWish & { inner: string };
}

/** What would be refused is refused; nothing is made. */
export async function checkNewSession(desk: Desk, given: NewSession): Promise<void> {
  refuseTitle(desk, given.title);
  const cwd = await checkFolder(given.cwd);
  checkOptions(given.options ?? {});
  // Throws where nobody knows such an agent, or the folder's own one is not trusted.
  desk.clientFor({ id: '', cwd, trustProject: given.trustProject ?? false }).adapters.get(given.agent);
}

/**
 * Row first, then the workspace, then the keeper: whatever happens in between can be seen and undone. Where the caller has chosen
 * the id, the same again is the same session; one that a daemon died over is made complete.
 */
export async function createSession(desk: Desk, given: NewSession, who: Who, origin: Origin = {}): Promise<Session> {
  await checkNewSession(desk, given);
  const options = given.options ?? {};
  const id = given.id ?? createSessionId();
  const { env = {}, hostEnv, prompt, worktree = false, files = [] } = given;
  const messageId = given.messageId ?? (given.id === undefined ? createMessageId() : `first-${id}`);
  const speaks = prompt !== undefined || files.length > 0;
  return desk.serial.run(id, async () => {
    const before = given.id === undefined ? null : await desk.store.getSession(id);
    if (before && (await isComplete(desk, before, { messageId: speaks ? messageId : null, worktree }))) return before;
    rememberEnvironment(desk, id, { env, hostEnv });
    const row = rowOf(desk, { id, cwd: resolve(given.cwd), options, origin }, given);
    if (!before) await desk.store.insertSession(row);
    try {
      if (!before || !worktreeOf(before))
        await prepareWorkspace(desk, row, origin.worktree ?? worktree, before !== null);
      if (speaks) {
        await addMessage(desk, id, { id: messageId, text: prompt ?? '', files }, 'queue', who);
        await deliverNext(desk, id);
        const sent = await desk.store.getMessage(id, messageId);
        if (sent?.state === 'failed' && sent.error) throw refusalOf(sent.error);
      }
    } catch (error) {
      await undo(desk, id);
      throw error;
    }
    await desk.store.appendAudit({
      time: desk.now(),
      who,
      action: 'session.create',
      sessionId: id,
      detail: { agent: given.agent },
    });
    tellChange(desk);
    const session = await desk.store.getSession(id);
    if (!session) throw new DaemonError('NOT_FOUND', `the session ${id} was removed meanwhile`);
    return session;
  });
}

/** A name is content, and one that is not stored would be gone with the next restart. */
export function refuseTitle({ settings }: Pick<Desk, 'settings'>, title: string | null | undefined): void {
  if (settings.storeActivity || title === undefined || title === null) return;
  throw new DaemonError('VALIDATION_ERROR', 'a title is not stored: daemon.storeActivity is false', {
    hint: 'leave the title out; tags are stored',
    issues: [{ field: 'title', problem: 'is not stored' }],
  });
}

async function isComplete(
  desk: Desk,
  session: Session,
  wanted: { messageId: string | null; worktree: NonNullable<NewSession['worktree']> },
): Promise<boolean> {
  if (wanted.worktree !== false && !worktreeOf(session)) return false;
  return wanted.messageId === null || (await desk.store.getMessage(session.id, wanted.messageId)) !== null;
}

async function undo(desk: Desk, id: string): Promise<void> {
  const worktree = worktreeOf((await desk.store.getSession(id)) ?? { workspace: { kind: 'folder', path: '/' } });
  if (worktree)
    await removeWorktree(id, worktree, desk.places.saved).catch((error) => desk.log(`${id}: ${String(error)}`));
  await desk.store.deleteSession(id);
  desk.environments.delete(id);
  // A keeper that refused the launch has written its log.
  await rm(join(desk.places.sessions, id), { recursive: true, force: true });
}

async function prepareWorkspace(
  desk: Desk,
  row: StoredSession,
  wish: NonNullable<NewSession['worktree']> | NonNullable<Origin['worktree']>,
  again: boolean,
): Promise<void> {
  if (wish === false) return;
  const place = { cwd: row.cwd, id: row.id, folder: desk.places.worktrees };
  if (again) await dropUnfinished(place);
  const { workspace, cwd } = await createWorktree(place, wish === true ? {} : wish);
  const inner = typeof wish === 'object' && 'inner' in wish ? join(cwd, wish.inner) : cwd;
  const isThere = (await stat(inner).catch(() => null))?.isDirectory() ?? false;
  await desk.store.updateSession(row.id, { workspace, cwd: isThere ? inner : cwd });
}

function rowOf(
  desk: Desk,
  { id, cwd, options, origin }: { id: string; cwd: string; options: Record<string, unknown>; origin: Origin },
  given: NewSession,
): StoredSession {
  const { forkSessionId, nativeId = null, forkedFrom = null } = origin;
  const summary = desk.settings.storeActivity ? (origin.summary ?? null) : null;
  const onLimit = given.onLimit ?? desk.settings.onLimit;
  return {
    ...emptyRow({ id, agent: given.agent, cwd, onLimit, now: desk.now() }),
    mode: typeof options.mode === 'string' ? options.mode : null,
    nativeId,
    title: given.title ?? null,
    summary,
    model: typeof options.model === 'string' ? options.model : null,
    approvalMode: typeof options.approvalMode === 'string' ? options.approvalMode : 'prompt',
    options: { ...options, ...(forkSessionId === undefined ? {} : { forkSessionId }) },
    envNames: Object.keys(given.env ?? {}),
    trustProject: given.trustProject ?? false,
    budget: given.budget ?? null,
    forkedFrom,
    tags: given.tags ?? [],
    metadata: {
      ...(given.title === undefined ? {} : { title: given.title, titleBy: 'user' }),
      ...(nativeId === null ? {} : { agentSessionId: nativeId }),
      ...(summary === null ? {} : { summary }),
    },
  };
}

async function checkFolder(path: string): Promise<string> {
  if (!isAbsolute(path)) throw new DaemonError('VALIDATION_ERROR', `cwd must be absolute, and "${path}" is not`);
  const found = await stat(path).catch(() => null);
  if (!found?.isDirectory())
    throw new DaemonError('VALIDATION_ERROR', `there is no folder ${path}`, { hint: 'make it, or name another' });
  return resolve(path);
}

function checkOptions(options: Record<string, unknown>): void {
  const foreign = NOT_FOR_SESSIONS.filter((name) => options[name] !== undefined);
  const issues = [
    ...foreign.map((name) => ({ field: `options.${name}`, problem: 'is not an option of a session' })),
    ...optionFaults(options).map(({ field, problem }) => ({ field: `options.${field}`, problem })),
  ];
  if (issues.length > 0)
    throw new DaemonError('VALIDATION_ERROR', issues.map(({ field, problem }) => `${field} ${problem}`).join('; '), {
      issues,
    });
}
