import { join } from 'node:path';
import type { Session } from '@agent-mux/api';
import type { ApprovalMode } from '@agent-mux/core';
import type { HookRecord } from '../activity/hook-record.ts';
import { DaemonError } from '../daemon-error.ts';
import { applyHookFact } from '../hooks/report-activity.ts';
import { endUnmanaged, findManagedSession } from '../hooks/unmanaged.ts';
import { isKeeperAlive, readRecord } from '../keeper/record.ts';
import type { Actor } from '../service.ts';
import { hasLiveProcess } from '../sessions/adopt.ts';
import { adapterOf } from '../sessions/agent-facts.ts';
import { type DaemonContext, notifyChange } from '../sessions/daemon-context.ts';
import { environmentOf, resolveEnvironment } from '../sessions/environment.ts';
import { findSession } from '../sessions/find.ts';
import { createMessageId } from '../sessions/ids.ts';
import { asRefusal } from '../sessions/keeper-link.ts';
import { startTerminal } from './connect-terminal.ts';
import { findStoredSince } from './find-native.ts';
import type { TerminalLaunch } from './protocol.ts';

export interface TerminalOptions {
  cols: number;
  rows: number;
  prompt?: string | undefined;
}

/** Starts following a session by its hooks. */
type Follow = (session: Session, memory: HookRecord) => void;

/** Session options that the agent's own terminal supports. All others need the engine. */
const TERMINAL_OPTIONS: ReadonlySet<string> = new Set(['model', 'approvalMode']);

/** Opens the agent's own terminal UI instead of an engine process. Its activity is reported by hooks. */
export async function openTerminal(
  ctx: DaemonContext,
  id: string,
  options: TerminalOptions,
  actor: Actor,
  follow: Follow,
): Promise<Session> {
  const found = await findManagedSession(ctx, id);
  return ctx.mutex.run(found.id, async () => {
    const session = await findSession(ctx, found.id);
    assertIdle(ctx, session);
    await assertIdentified(ctx, session);
    const launch = launchOf(ctx, session, options);
    await markSpawning(ctx, session);
    try {
      await startTerminal(launch);
    } catch (error) {
      const { activity, isTerminated, parked, origin } = session;
      await ctx.store.updateSession(session.id, { activity, isTerminated, parked, origin, updatedAt: ctx.now() });
      throw asRefusal(error);
    }
    await ctx.store.appendAudit({
      timestamp: ctx.now(),
      actor,
      action: 'terminal.open',
      sessionId: session.id,
      detail: { agent: session.agent },
    });
    await noteOpened(ctx, session.id, launch.start.hooks, follow);
    return findSession(ctx, session.id);
  });
}

/** On daemon start: follows terminals that still have a keeper, and marks the others as ended. */
export async function adoptTerminals(ctx: DaemonContext, follow: Follow): Promise<void> {
  for (const { id, origin, isTerminated } of await ctx.store.listUnfinished()) {
    if (origin !== 'terminal' || isTerminated) continue;
    await ctx.mutex.run(id, async () => {
      const session = await ctx.store.getSession(id);
      if (!session) return;
      if (session.activity === 'spawning') await noteOpened(ctx, id, hasHooks(ctx, session), follow);
      if (!hasKeeper(ctx, id)) await endUnmanaged(ctx, session);
    });
  }
}

/** Called when a viewer sees that the program has exited. */
export async function recordTerminalExit(ctx: DaemonContext, id: string): Promise<void> {
  await ctx.mutex.run(id, async () => {
    const session = await ctx.store.getSession(id);
    if (session?.origin === 'terminal' && !session.isTerminated && !hasKeeper(ctx, id))
      await endUnmanaged(ctx, session);
  });
}

function terminalFolder(ctx: Pick<DaemonContext, 'paths'>, id: string): string {
  return join(ctx.paths.sessions, id);
}

function hasKeeper(ctx: DaemonContext, id: string): boolean {
  const record = readRecord(terminalFolder(ctx, id));
  return record !== undefined && isKeeperAlive(record);
}

function assertIdle(ctx: DaemonContext, session: Session): void {
  const { id, launch, agentSessionId, queuedMessages } = session;
  if (ctx.live.has(id) || hasLiveProcess(session))
    throw new DaemonError('SESSION_RUNNING', `session ${id} is running`, { hint: `run "amux park ${id}" first` });
  if (queuedMessages > 0)
    throw new DaemonError('TURN_RUNNING', `session ${id} has queued messages`, { hint: 'send or cancel them first' });
  if (launch > 0 && agentSessionId === null) throw cannotResume('the agent never reported a session id');
}

/**
 * Throws if the session cannot be identified: reopening would silently start another conversation. If the agent has
 * stored nothing, no conversation exists yet.
 */
async function assertIdentified(ctx: DaemonContext, session: Session): Promise<void> {
  if (session.origin !== 'terminal' || session.agentSessionId !== null) return;
  const { length } = await findStoredSince(ctx, session);
  if (length > 0) throw cannotResume(`the agent stored ${length} sessions in this folder and did not report which`);
}

function cannotResume(reason: string): DaemonError {
  return new DaemonError('NO_AGENT_SESSION', `cannot resume: ${reason}`, {
    hint: 'run "amux new --terminal" to start a new one, or "amux sessions" to resume a stored one',
  });
}

function launchOf(ctx: DaemonContext, session: Session, { cols, rows, prompt }: TerminalOptions): TerminalLaunch {
  const unsupported = Object.keys(session.options).filter((name) => !TERMINAL_OPTIONS.has(name));
  if (unsupported.length > 0)
    throw new DaemonError('CAPABILITY_ERROR', `the agent's terminal does not support ${unsupported.join(', ')}`, {
      hint: 'remove these options',
    });
  const { id, agent, cwd, agentSessionId, trustProject, options } = session;
  const { model } = options;
  const approvalMode = approvalModeOf(ctx, session);
  return {
    sessionId: id,
    folder: terminalFolder(ctx, id),
    agent,
    trustProject,
    ...resolveEnvironment(ctx, session),
    start: {
      cwd,
      size: { cols, rows },
      hooks: hasHooks(ctx, session),
      ...(agentSessionId === null ? {} : { sessionId: agentSessionId }),
      ...(typeof model === 'string' ? { model } : {}),
      ...(approvalMode === undefined ? {} : { approvalMode }),
      ...(prompt === undefined ? {} : { prompt }),
    },
  };
}

/** False if hooks are configured by a variable that the user has already set: the user's configuration wins. */
function hasHooks(ctx: DaemonContext, session: Session): boolean {
  const launch = adapterOf(ctx, session).hooks?.forRun?.((event) => event, terminalFolder(ctx, session.id));
  const known = environmentOf(ctx, session);
  return launch !== undefined && !Object.keys(launch.env ?? {}).some((name) => known[name] !== undefined);
}

/**
 * The approval mode is passed even if not requested, since the agent's own default may allow everything. Undefined if
 * the terminal has no option for it. A requested mode that cannot be passed is refused by the engine.
 */
function approvalModeOf(ctx: DaemonContext, session: Session): ApprovalMode | undefined {
  const { options, approvalMode } = session;
  if (isApprovalMode(options.approvalMode)) return options.approvalMode;
  const isKnown = isApprovalMode(approvalMode) && adapterOf(ctx, session).terminal?.approvalModes?.[approvalMode];
  return isKnown ? approvalMode : undefined;
}

/** Validated by the engine; here it only has to be a string. */
function isApprovalMode(value: unknown): value is ApprovalMode {
  return typeof value === 'string';
}

async function markSpawning(ctx: DaemonContext, { id }: Session): Promise<void> {
  const now = ctx.now();
  await ctx.store.updateSession(id, {
    origin: 'terminal',
    activity: 'spawning',
    activitySince: now,
    isTerminated: false,
    parked: false,
    error: null,
    updatedAt: now,
  });
  notifyChange(ctx);
}

/** Without hooks, only whether the agent is alive is known. */
async function noteOpened(ctx: DaemonContext, id: string, hooks: boolean, follow: Follow): Promise<void> {
  const session = await findSession(ctx, id);
  const record = readRecord(terminalFolder(ctx, id));
  const key = createMessageId();
  const fact = {
    id: key,
    at: ctx.now(),
    state: hooks ? ('idle' as const) : ('no_signal' as const),
    ...(record ? { process: { pid: record.pid, startTime: record.startTime } } : {}),
  };
  const origin = { weight: 'unmanaged', agentSessionId: undefined, prompts: 0, key: `${id}/${key}` } as const;
  follow(session, await applyHookFact(ctx, session, fact, origin));
  await ctx.store.updateSession(id, { keeperPid: record?.pid ?? null });
}
