import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import type { Session } from '@agent-mux/api';
import { isInScratch, type ProcessIdentity } from '@agent-mux/core';
import type { HookMemory } from '../activity/hook-memory.ts';
import type { Desk } from '../sessions/desk.ts';
import type { Delivery } from './spool.ts';
import type { Understood } from './understand.ts';

/** Whose report it is. `ours`: the daemon has started the process that it came from. */
export type Whose =
  | { kind: 'session'; session: Session; ours: boolean }
  | { kind: 'new'; cwd: string; startedIn: string | null }
  | { kind: 'nobody'; why: string; isSuspicious: boolean };

export interface Known {
  agent: string;
  nativeId: string | null;
  cwd: string;
  memory: HookMemory;
}

/** Sessions that live in a terminal, by their ids. */
export type ByHand = ReadonlyMap<string, Known>;

type Report = Pick<Delivery, 'agent' | 'session' | 'sessionBy' | 'run' | 'cwd'>;

/**
 * By the session that it names, where agent, folder and conversation agree; else by the agent's own id; else it is a new one. What
 * is inherited may be a nested agent's, which is a session of its own; what is named and does not agree is refused.
 */
export async function findWhose(
  desk: Pick<Desk, 'store'>,
  report: Report,
  said: Understood,
  { byHand, process }: { byHand: ByHand; process: ProcessIdentity | undefined },
): Promise<Whose> {
  const cwd = folderOf(report, said);
  const named = report.session === null ? null : await desk.store.getSession(report.session);
  if (named) {
    const fault = await findFault(named, report.agent, cwd);
    if (fault === null && isSameConversation(named, said))
      return { kind: 'session', session: named, ours: named.origin === 'daemon' };
    if (fault !== null && report.sessionBy === 'argument')
      return { kind: 'nobody', why: `it names session ${named.id}, ${fault}`, isSuspicious: true };
  } else if (report.session !== null && (report.sessionBy === 'argument' || isRunOf(report.run, report.session)))
    return { kind: 'nobody', why: `there is no session ${report.session}`, isSuspicious: false };

  const found = await findNative(desk, byHand, report.agent, said, cwd);
  if (found) return found.kind === 'session' ? { ...found, ours: isRunOf(report.run, found.session.id) } : found;
  const same = said.agentSessionId === undefined ? findSilent(byHand, report.agent, cwd, process) : undefined;
  const session = same === undefined ? null : await desk.store.getSession(same);
  if (session) return { kind: 'session', session, ours: false };
  if (cwd === null) return { kind: 'nobody', why: 'it says nowhere in which folder', isSuspicious: false };
  if (said.state === 'exited')
    return { kind: 'nobody', why: 'nobody knew the session that has ended', isSuspicious: false };
  return { kind: 'new', cwd, startedIn: named?.id ?? null };
}

/**
 * The payload's folder counts where it is on one way with that of the process that reported, which cannot be made up. Copilot CLI
 * calls the hooks of a plugin in the plugin's folder, which is of our own making and says nothing.
 */
function folderOf(report: Report, said: Understood): string | null {
  const cwd = report.cwd !== null && isInScratch(report.cwd) ? null : report.cwd;
  if (said.cwd === undefined || cwd === null) return cwd ?? said.cwd ?? null;
  return isWithin(said.cwd, cwd) || isWithin(cwd, said.cwd) ? said.cwd : cwd;
}

async function findFault(session: Session, agent: string, cwd: string | null): Promise<string | null> {
  if (session.agent !== agent) return `which is one of ${session.agent}`;
  return cwd !== null && (await worksIn(session, cwd)) ? null : `which does not work in ${cwd ?? 'an unknown folder'}`;
}

async function worksIn({ cwd, workspace }: Session, folder: string): Promise<boolean> {
  const roots = [...new Set([cwd, workspace.path])];
  if (roots.some((root) => isWithin(folder, root))) return true;
  const real = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
  return real.some((root) => isWithin(folder, root));
}

function isSameConversation({ nativeId }: Session, { agentSessionId }: Understood): boolean {
  return nativeId === null || agentSessionId === undefined || nativeId === agentSessionId;
}

async function findNative(
  { store }: Pick<Desk, 'store'>,
  byHand: ByHand,
  agent: string,
  { agentSessionId }: Understood,
  cwd: string | null,
): Promise<Extract<Whose, { kind: 'session' | 'nobody' }> | null> {
  if (agentSessionId === undefined) return null;
  // Nearly always one that is followed already.
  const [id] = [...byHand].find(([, known]) => known.nativeId === agentSessionId && known.agent === agent) ?? [];
  const followed = id === undefined ? null : await store.getSession(id);
  const session = followed ?? (await store.listSessions({ agent, nativeId: agentSessionId, limit: 1 })).rows[0];
  if (!session) return null;
  if (cwd !== null && ((await worksIn(session, cwd)) || isWithin(session.cwd, cwd)))
    return { kind: 'session', session, ours: false };
  const why = `it names the conversation of session ${session.id}, which does not work in ${cwd ?? 'an unknown folder'}`;
  return { kind: 'nobody', why, isSuspicious: true };
}

/** An agent that does not tell the id of its session is known by its process, or by its folder. */
function findSilent(
  byHand: ByHand,
  agent: string,
  cwd: string | null,
  process: ProcessIdentity | undefined,
): string | undefined {
  const mine = [...byHand].filter(([, known]) => known.agent === agent);
  const byProcess = mine.find(
    ([, { memory }]) =>
      process && memory.process?.value.pid === process.pid && memory.process.value.startTime === process.startTime,
  );
  const byFolder = mine.find(
    ([, known]) => known.nativeId === null && known.cwd === cwd && (!process || known.memory.process === null),
  );
  return (byProcess ?? byFolder)?.[0];
}

/** Runs of a session are named after it. */
function isRunOf(run: string | null, sessionId: string): boolean {
  return run?.startsWith(`${sessionId}-`) ?? false;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
