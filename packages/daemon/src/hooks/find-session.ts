import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import type { Session } from '@agent-mux/api';
import { isInScratch, type ProcessIdentity } from '@agent-mux/core';
import type { HookRecord } from '../activity/hook-record.ts';
import type { DaemonContext } from '../sessions/daemon-context.ts';
import type { HookInterpretation } from './interpret.ts';
import type { HookDelivery } from './spool.ts';

/** The session that a report belongs to. `ours`: the daemon started the process that sent it. */
export type HookOwner =
  | { kind: 'session'; session: Session; ours: boolean }
  | { kind: 'new'; cwd: string; startedIn: string | null }
  | { kind: 'none'; why: string; isSuspicious: boolean };

export interface UnmanagedSession {
  agent: string;
  agentSessionId: string | null;
  cwd: string;
  memory: HookRecord;
}

/** Unmanaged sessions by session id. */
export type KnownSessions = ReadonlyMap<string, UnmanagedSession>;

type Report = Pick<HookDelivery, 'agent' | 'session' | 'sessionBy' | 'run' | 'cwd'>;

/**
 * Finds the session by the id in the report, if agent, folder and conversation match; else by the agent session id;
 * else it is a new session. An inherited id may belong to a nested agent, which is a separate session. An explicit id
 * that does not match is refused.
 */
export async function findHookOwner(
  ctx: Pick<DaemonContext, 'store'>,
  report: Report,
  hook: HookInterpretation,
  { unmanaged, process }: { unmanaged: KnownSessions; process: ProcessIdentity | undefined },
): Promise<HookOwner> {
  const cwd = folderOf(report, hook);
  const named = report.session === null ? null : await ctx.store.getSession(report.session);
  if (named) {
    const issue = await findMismatch(named, report.agent, cwd);
    if (issue === null && isSameConversation(named, hook))
      return { kind: 'session', session: named, ours: named.origin === 'daemon' };
    if (issue !== null && report.sessionBy === 'argument')
      return { kind: 'none', why: `the report names session ${named.id}, ${issue}`, isSuspicious: true };
  } else if (report.session !== null && (report.sessionBy === 'argument' || isRunOf(report.run, report.session)))
    return { kind: 'none', why: `session ${report.session} not found`, isSuspicious: false };

  const found = await findByAgentSessionId(ctx, unmanaged, report.agent, hook, cwd);
  if (found) return found.kind === 'session' ? { ...found, ours: isRunOf(report.run, found.session.id) } : found;
  const same = hook.agentSessionId === undefined ? findByProcess(unmanaged, report.agent, cwd, process) : undefined;
  const session = same === undefined ? null : await ctx.store.getSession(same);
  if (session) return { kind: 'session', session, ours: false };
  if (cwd === null) return { kind: 'none', why: 'the report names no folder', isSuspicious: false };
  if (hook.state === 'exited') return { kind: 'none', why: 'an unknown session has ended', isSuspicious: false };
  return { kind: 'new', cwd, startedIn: named?.id ?? null };
}

/**
 * The folder of the payload counts if it contains, or is inside, the folder of the reporting process, which cannot be
 * forged. Copilot CLI runs the hooks of a plugin in the plugin's folder, which agent-mux created and which identifies
 * nothing.
 */
function folderOf(report: Report, hook: HookInterpretation): string | null {
  const cwd = report.cwd !== null && isInScratch(report.cwd) ? null : report.cwd;
  if (hook.cwd === undefined || cwd === null) return cwd ?? hook.cwd ?? null;
  return isWithin(hook.cwd, cwd) || isWithin(cwd, hook.cwd) ? hook.cwd : cwd;
}

async function findMismatch(session: Session, agent: string, cwd: string | null): Promise<string | null> {
  if (session.agent !== agent) return `which belongs to agent ${session.agent}`;
  return cwd !== null && (await worksIn(session, cwd)) ? null : `which does not work in ${cwd ?? 'an unknown folder'}`;
}

async function worksIn({ cwd, workspace }: Session, folder: string): Promise<boolean> {
  const roots = [...new Set([cwd, workspace.path])];
  if (roots.some((root) => isWithin(folder, root))) return true;
  const real = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
  return real.some((root) => isWithin(folder, root));
}

function isSameConversation(session: Session, { agentSessionId }: HookInterpretation): boolean {
  return session.agentSessionId === null || agentSessionId === undefined || session.agentSessionId === agentSessionId;
}

async function findByAgentSessionId(
  { store }: Pick<DaemonContext, 'store'>,
  unmanaged: KnownSessions,
  agent: string,
  { agentSessionId }: HookInterpretation,
  cwd: string | null,
): Promise<Extract<HookOwner, { kind: 'session' | 'none' }> | null> {
  if (agentSessionId === undefined) return null;
  // Usually a session that is already followed.
  const [id] =
    [...unmanaged].find(([, known]) => known.agentSessionId === agentSessionId && known.agent === agent) ?? [];
  const followed = id === undefined ? null : await store.getSession(id);
  const session = followed ?? (await store.listSessions({ agent, agentSessionId, limit: 1 })).rows[0];
  if (!session) return null;
  if (cwd !== null && ((await worksIn(session, cwd)) || isWithin(session.cwd, cwd)))
    return { kind: 'session', session, ours: false };
  const why = `the report names the conversation of session ${session.id}, which does not work in ${cwd ?? 'an unknown folder'}`;
  return { kind: 'none', why, isSuspicious: true };
}

/** Identifies an agent that reports no session id by its process or its folder. */
function findByProcess(
  unmanaged: KnownSessions,
  agent: string,
  cwd: string | null,
  process: ProcessIdentity | undefined,
): string | undefined {
  const candidates = [...unmanaged].filter(([, known]) => known.agent === agent);
  const byProcess = candidates.find(
    ([, { memory }]) =>
      process && memory.process?.value.pid === process.pid && memory.process.value.startTime === process.startTime,
  );
  const byFolder = candidates.find(
    ([, known]) => known.agentSessionId === null && known.cwd === cwd && (!process || known.memory.process === null),
  );
  return (byProcess ?? byFolder)?.[0];
}

/** Run ids start with the session id. */
function isRunOf(run: string | null, sessionId: string): boolean {
  return run?.startsWith(`${sessionId}-`) ?? false;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
