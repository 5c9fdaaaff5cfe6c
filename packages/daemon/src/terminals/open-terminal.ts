import { join } from 'node:path';
import type { Session } from '@agent-mux/api';
import type { ApprovalMode } from '@agent-mux/core';
import type { HookMemory } from '../activity/hook-memory.ts';
import { DaemonError } from '../daemon-error.ts';
import { endByHand, findHere } from '../hooks/by-hand.ts';
import { takeFact } from '../hooks/report-activity.ts';
import { isKeeperAlive, readRecord } from '../keeper/record.ts';
import type { Who } from '../service.ts';
import { seemsAlive } from '../sessions/adopt.ts';
import { adapterOf } from '../sessions/agent-facts.ts';
import { type Desk, tellChange } from '../sessions/desk.ts';
import { environmentOf, resolveEnvironment } from '../sessions/environment.ts';
import { findSession } from '../sessions/find.ts';
import { createMessageId } from '../sessions/ids.ts';
import { asRefusal } from '../sessions/keeper-link.ts';
import { startTerminal } from './connect-terminal.ts';
import { findStoredSince } from './find-native.ts';
import type { TerminalLaunch } from './protocol.ts';

export interface TerminalWish {
  cols: number;
  rows: number;
  prompt?: string | undefined;
}

/** Whoever follows sessions by their hooks is told of one more. */
type Follow = (session: Session, memory: HookMemory) => void;

/** What can be said to the agent's own screen; everything else of a session's options is the engine's. */
const SCREEN_OPTIONS: ReadonlySet<string> = new Set(['model', 'approvalMode']);

/** The agent's own screen, in the place of a process of the engine. What it does is known by its hooks, as for any terminal. */
export async function openTerminal(
  desk: Desk,
  id: string,
  wish: TerminalWish,
  who: Who,
  follow: Follow,
): Promise<Session> {
  const found = await findHere(desk, id);
  return desk.serial.run(found.id, async () => {
    const session = await findSession(desk, found.id);
    refuseBusy(desk, session);
    await refuseAnother(desk, session);
    const launch = launchOf(desk, session, wish);
    await begin(desk, session);
    try {
      await startTerminal(launch);
    } catch (error) {
      const { activity, isTerminated, parked, origin } = session;
      await desk.store.updateSession(session.id, { activity, isTerminated, parked, origin, updatedAt: desk.now() });
      throw asRefusal(error);
    }
    await desk.store.appendAudit({
      time: desk.now(),
      who,
      action: 'terminal.open',
      sessionId: session.id,
      detail: { agent: session.agent },
    });
    await noteOpened(desk, session.id, launch.start.hooks, follow);
    return findSession(desk, session.id);
  });
}

/** A daemon begins: terminals that are held are followed again, those that are not have ended. */
export async function adoptTerminals(desk: Desk, follow: Follow): Promise<void> {
  for (const { id, origin, isTerminated } of await desk.store.listUnfinished()) {
    if (origin !== 'terminal' || isTerminated) continue;
    await desk.serial.run(id, async () => {
      const session = await desk.store.getSession(id);
      if (!session) return;
      if (session.activity === 'spawning') await noteOpened(desk, id, hasHooks(desk, session), follow);
      if (!isHeld(desk, id)) await endByHand(desk, session);
    });
  }
}

/** Its program has ended, as whoever watched it has heard. */
export async function noteEnd(desk: Desk, id: string): Promise<void> {
  await desk.serial.run(id, async () => {
    const session = await desk.store.getSession(id);
    if (session?.origin === 'terminal' && !session.isTerminated && !isHeld(desk, id)) await endByHand(desk, session);
  });
}

function terminalFolder(desk: Pick<Desk, 'places'>, id: string): string {
  return join(desk.places.sessions, id);
}

function isHeld(desk: Desk, id: string): boolean {
  const record = readRecord(terminalFolder(desk, id));
  return record !== undefined && isKeeperAlive(record);
}

function refuseBusy(desk: Desk, session: Session): void {
  const { id, launch, nativeId, queuedMessages } = session;
  if (desk.live.has(id) || seemsAlive(session))
    throw new DaemonError('SESSION_LIVE', `session ${id} has a process`, { hint: `amux park ${id} ends it first` });
  if (queuedMessages > 0)
    throw new DaemonError('TURN_RUNNING', `messages wait for session ${id}`, { hint: 'send or cancel them first' });
  if (launch > 0 && nativeId === null) throw unknownId('the agent never told the id of its session');
}

/** Opened again it would be another conversation, and nobody would be told. Where the agent has stored nothing there is none yet. */
async function refuseAnother(desk: Desk, session: Session): Promise<void> {
  if (session.origin !== 'terminal' || session.nativeId !== null) return;
  const { length } = await findStoredSince(desk, session);
  if (length > 0)
    throw unknownId(`the agent has stored ${length} sessions in this folder since, and did not tell which`);
}

function unknownId(reason: string): DaemonError {
  return new DaemonError('NO_NATIVE_SESSION', `${reason}, so it cannot be gone on with`, {
    hint: 'start a new one (amux new --terminal), or go on with a stored one (amux sessions)',
  });
}

function launchOf(desk: Desk, session: Session, { cols, rows, prompt }: TerminalWish): TerminalLaunch {
  const foreign = Object.keys(session.options).filter((name) => !SCREEN_OPTIONS.has(name));
  if (foreign.length > 0)
    throw new DaemonError('CAPABILITY_ERROR', `the screen of an agent cannot be started with ${foreign.join(', ')}`, {
      hint: 'leave them out',
    });
  const { id, agent, cwd, nativeId, trustProject, options } = session;
  const { model } = options;
  const approvalMode = approvalModeOf(desk, session);
  return {
    sessionId: id,
    folder: terminalFolder(desk, id),
    agent,
    trustProject,
    ...resolveEnvironment(desk, session),
    start: {
      cwd,
      size: { cols, rows },
      hooks: hasHooks(desk, session),
      ...(nativeId === null ? {} : { sessionId: nativeId }),
      ...(typeof model === 'string' ? { model } : {}),
      ...(approvalMode === undefined ? {} : { approvalMode }),
      ...(prompt === undefined ? {} : { prompt }),
    },
  };
}

/** Where they are told by a variable that the user has set already, the user's own configuration goes before them. */
function hasHooks(desk: Desk, session: Session): boolean {
  const launch = adapterOf(desk, session).hooks?.forRun?.((event) => event, terminalFolder(desk, session.id));
  const known = environmentOf(desk, session);
  return launch !== undefined && !Object.keys(launch.env ?? {}).some((name) => known[name] !== undefined);
}

/**
 * What nobody has asked for is said too, as for any other session: an agent's own default may let everything pass. Undefined:
 * its screen cannot be told. What was asked for, and cannot be told, is refused by the engine.
 */
function approvalModeOf(desk: Desk, session: Session): ApprovalMode | undefined {
  const { options, approvalMode } = session;
  if (isApprovalMode(options.approvalMode)) return options.approvalMode;
  const isKnown = isApprovalMode(approvalMode) && adapterOf(desk, session).terminal?.approvalModes?.[approvalMode];
  return isKnown ? approvalMode : undefined;
}

/** Looked at by the engine; here it only has to be a word. */
function isApprovalMode(value: unknown): value is ApprovalMode {
  return typeof value === 'string';
}

async function begin(desk: Desk, { id }: Session): Promise<void> {
  const now = desk.now();
  await desk.store.updateSession(id, {
    origin: 'terminal',
    activity: 'spawning',
    activitySince: now,
    isTerminated: false,
    parked: false,
    error: null,
    updatedAt: now,
  });
  tellChange(desk);
}

/** Where the agent has no hooks of its own for it, nothing is known of what it does but that it lives. */
async function noteOpened(desk: Desk, id: string, hooks: boolean, follow: Follow): Promise<void> {
  const session = await findSession(desk, id);
  const record = readRecord(terminalFolder(desk, id));
  const key = createMessageId();
  const fact = {
    id: key,
    at: desk.now(),
    state: hooks ? ('idle' as const) : ('no_signal' as const),
    ...(record ? { process: { pid: record.pid, startTime: record.startTime } } : {}),
  };
  const taking = { weight: 'hand', agentSessionId: undefined, prompts: 0, key: `${id}/${key}` } as const;
  follow(session, await takeFact(desk, session, fact, taking));
  await desk.store.updateSession(id, { keeperPid: record?.pid ?? null });
}
