import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { NewSession, Session } from '@agent-mux/api';
import { optionFaults } from '@agent-mux/core';
import { DaemonError, refusalOf } from '../daemon-error.ts';
import type { Who } from '../service.ts';
import type { StoredSession } from '../store/store.ts';
import { createWorktree, removeWorktree, worktreeOf } from '../workspaces/worktree.ts';
import { deliverNext } from './deliver.ts';
import { type Desk, tellChange } from './desk.ts';
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
}

/** Row first, then the workspace, then the keeper: whatever happens in between can be seen and undone. */
export async function createSession(desk: Desk, given: NewSession, who: Who, origin: Origin = {}): Promise<Session> {
  const cwd = await checkFolder(given.cwd);
  const options = checkOptions(given.options ?? {});
  const id = createSessionId();
  const { env = {}, hostEnv, prompt } = given;
  rememberEnvironment(desk, id, { env, hostEnv });
  const row = rowOf(desk, { id, cwd, options, origin }, given);
  // Throws where nobody knows such an agent, or the folder's own one is not trusted.
  desk.clientFor(row).adapters.get(given.agent);
  await desk.store.insertSession(row);
  return desk.serial.run(id, async () => {
    try {
      await prepareWorkspace(desk, row, given.worktree ?? false);
      if (prompt !== undefined || (given.files ?? []).length > 0) {
        const message = { id: given.messageId ?? createMessageId(), text: prompt ?? '', files: given.files ?? [] };
        await addMessage(desk, id, message, 'queue', who);
        await deliverNext(desk, id);
        const sent = await desk.store.getMessage(id, message.id);
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

async function undo(desk: Desk, id: string): Promise<void> {
  const worktree = worktreeOf((await desk.store.getSession(id)) ?? { workspace: { kind: 'folder', path: '/' } });
  if (worktree) await removeWorktree(id, worktree).catch((error) => desk.log(`${id}: ${String(error)}`));
  await desk.store.deleteSession(id);
  desk.environments.delete(id);
}

async function prepareWorkspace(
  desk: Desk,
  row: StoredSession,
  wish: NonNullable<NewSession['worktree']>,
): Promise<void> {
  if (wish === false) return;
  const place = { cwd: row.cwd, id: row.id, folder: desk.places.worktrees };
  const { workspace, cwd } = await createWorktree(place, wish === true ? {} : wish);
  await desk.store.updateSession(row.id, { workspace, cwd });
}

function rowOf(
  desk: Desk,
  { id, cwd, options, origin }: { id: string; cwd: string; options: Record<string, unknown>; origin: Origin },
  given: NewSession,
): StoredSession {
  const now = desk.now();
  const { forkSessionId, nativeId = null, forkedFrom = null, summary = null } = origin;
  return {
    id,
    agent: given.agent,
    mode: typeof options.mode === 'string' ? options.mode : null,
    nativeId,
    title: given.title ?? null,
    summary,
    activity: 'idle',
    activitySince: now,
    isTerminated: false,
    parked: true,
    origin: 'daemon',
    pinned: false,
    cwd,
    workspace: { kind: 'folder', path: cwd },
    model: typeof options.model === 'string' ? options.model : null,
    approvalMode: typeof options.approvalMode === 'string' ? options.approvalMode : 'prompt',
    options: { ...options, ...(forkSessionId === undefined ? {} : { forkSessionId }) },
    envNames: Object.keys(given.env ?? {}),
    trustProject: given.trustProject ?? false,
    launch: 0,
    launchSeq: 0,
    keeperPid: null,
    lastSeq: -1,
    turns: 0,
    usage: null,
    costUsd: null,
    costSource: null,
    limit: null,
    error: null,
    lastLine: null,
    forkedFrom,
    tags: given.tags ?? [],
    metadata: {
      ...(given.title === undefined ? {} : { title: given.title, titleBy: 'user' }),
      ...(nativeId === null ? {} : { agentSessionId: nativeId }),
      ...(summary === null ? {} : { summary }),
    },
    createdAt: now,
    updatedAt: now,
    lastActiveAt: now,
  };
}

async function checkFolder(path: string): Promise<string> {
  if (!isAbsolute(path)) throw new DaemonError('VALIDATION_ERROR', `cwd must be absolute, and "${path}" is not`);
  const found = await stat(path).catch(() => null);
  if (!found?.isDirectory())
    throw new DaemonError('VALIDATION_ERROR', `there is no folder ${path}`, { hint: 'make it, or name another' });
  return resolve(path);
}

function checkOptions(options: Record<string, unknown>): Record<string, unknown> {
  const foreign = NOT_FOR_SESSIONS.filter((name) => options[name] !== undefined);
  const issues = [
    ...foreign.map((name) => ({ field: `options.${name}`, problem: 'is not an option of a session' })),
    ...optionFaults(options).map(({ field, problem }) => ({ field: `options.${field}`, problem })),
  ];
  if (issues.length > 0)
    throw new DaemonError('VALIDATION_ERROR', issues.map(({ field, problem }) => `${field} ${problem}`).join('; '), {
      issues,
    });
  return options;
}
