import { join } from 'node:path';
import type { Message, Session } from '@agent-mux/api';
import { estimateCost, messageOf, type TokenUsage } from '@agent-mux/core';
import { Projector } from '../activity/project.ts';
import { DaemonError } from '../daemon-error.ts';
import type { LaunchSpec } from '../keeper/protocol.ts';
import { shareGroupOf } from '../keeper/share-group.ts';
import { startKeeper } from '../keeper/start-keeper.ts';
import { dayOf } from '../limits/days.ts';
import { findAdapter, findMode } from './agent-facts.ts';
import { attachmentsOf } from './attachments.ts';
import { canContinueStored, cannotContinue, conversationOf } from './can-continue.ts';
import type { DaemonContext, LiveSession } from './daemon-context.ts';
import { resolveEnvironment } from './environment.ts';
import { runIdOf } from './ids.ts';
import { asRefusal, type KeeperLink, openLink } from './keeper-link.ts';
import { keeperEvents } from './keepers/keeper-events.ts';
import { rememberKeeper } from './keepers/keeper-identity.ts';
import { freeSlot } from './parking.ts';
import { readIdentity } from './reported.ts';

/**
 * Starts a process for the session with this message as the first one. Throws if it is refused; then nothing was sent.
 */
export async function launchSession(ctx: DaemonContext, session: Session, message: Message): Promise<LiveSession> {
  if (ctx.isClosing())
    throw new DaemonError('NOT_READY', 'the daemon is shutting down', { hint: 'try again in a moment' });
  if (!(await canContinueStored(ctx, session))) throw cannotContinue(ctx, session);
  await freeSlot(ctx);
  const { env, hostEnv } = resolveEnvironment(ctx, session);
  const number = session.launch + 1;
  const firstSeq = session.lastSeq + 1;
  const started = await ctx.store.updateSession(session.id, {
    launch: number,
    launchSeq: firstSeq,
    mode: findMode(findAdapter(ctx, session), session.options)?.name ?? session.mode,
    activity: 'spawning',
    activitySince: ctx.now(),
    parked: false,
    isTerminated: false,
    error: null,
    limit: null,
    updatedAt: ctx.now(),
  });
  if (!started) throw new DaemonError('NOT_FOUND', `session ${session.id} was deleted`);
  const launch: LaunchSpec = {
    sessionId: session.id,
    folder: join(ctx.paths.sessions, session.id),
    launch: number,
    runId: runIdOf(session.id, number),
    firstSeq,
    agent: session.agent,
    options: launchOptions(ctx, session),
    trustProject: session.trustProject,
    env,
    hostEnv,
    message: { messageId: message.id, text: message.text, attachments: await attachmentsOf(ctx, message) },
    expected: session.agentSessionId === null ? {} : await readIdentity(ctx.store, session.id),
    group: groupOf(ctx, session),
    limits: limitsOf(ctx.settings),
  };
  const live = prepareLive(ctx, started);
  live.projector.startLaunch(number);
  live.inFlight = message.id;
  ctx.live.set(session.id, live);
  try {
    await startOrJoinKeeper(ctx, launch, live);
  } catch (error) {
    if (ctx.live.get(session.id) === live) ctx.live.delete(session.id);
    throw error;
  }
  // The session is held from here on, whether or not that can be stored.
  await storeKeeper(ctx, live).catch((error: unknown) =>
    ctx.log(`${session.id}: cannot store its keeper: ${messageOf(error)}`),
  );
  return live;
}

async function storeKeeper(ctx: DaemonContext, { id, link }: LiveSession): Promise<void> {
  await ctx.store.updateSession(id, { keeperPid: link?.record.pid ?? null });
  if (link) await rememberKeeper(ctx, id, link.record);
}

/** Creates a live session from its row. The caller sets `link` when it connects. */
export function prepareLive(ctx: DaemonContext, session: Session): LiveSession {
  const { id, agent, account, launch, lastSeq } = session;
  const adapter = findAdapter(ctx, session);
  const context = {
    conversation: conversationOf(findMode(adapter, session.options)),
    estimate: (model: string, usage: TokenUsage) => estimateCost(adapter?.models ?? [], model, usage),
    dayOf,
  };
  return {
    id,
    agent,
    account,
    link: undefined,
    launch,
    projector: new Projector(session, context),
    lastSeq,
    inFlight: null,
    ending: null,
    storageError: null,
    quietSince: performance.now(),
  };
}

/** Agents that share a process are held by one keeper; all others have a separate one. */
async function startOrJoinKeeper(ctx: DaemonContext, launch: LaunchSpec, live: LiveSession): Promise<void> {
  const group =
    launch.group === null ? [] : [...ctx.keepers.values()].filter(({ record }) => record.group === launch.group);
  for (const link of group) if (await joinKeeper(link, launch, live)) return;
  const options = { after: { [launch.sessionId]: launch.firstSeq - 1 } };
  const { link, start } = await openLink(
    (listener) => startKeeper(launch.folder, launch, { ...options, listener }),
    keeperEvents(ctx),
  ).catch((error: unknown) => {
    throw asRefusal(error);
  });
  ctx.keepers.set(link.key, link);
  live.link = link;
  start();
}

const CANNOT_JOIN: ReadonlySet<string> = new Set([
  'KEEPER_GONE',
  'KEEPER_UNREACHABLE',
  'ENVIRONMENT_MISMATCH',
  'GROUP_MISMATCH',
]);

/** Returns false if the keeper cannot open the session, because its environment differs or it is exiting. */
async function joinKeeper(link: KeeperLink, launch: LaunchSpec, live: LiveSession): Promise<boolean> {
  live.link = link;
  try {
    await link.request({ type: 'open', launch, after: launch.firstSeq - 1 });
    return true;
  } catch (error) {
    live.link = undefined;
    if (error instanceof DaemonError && CANNOT_JOIN.has(error.code)) return false;
    throw error;
  }
}

/** Null if the agent has its own process and keeper. */
function groupOf(ctx: DaemonContext, session: Session): string | null {
  const adapter = findAdapter(ctx, session);
  const mode = findMode(adapter, session.options);
  return adapter && mode ? shareGroupOf(adapter, mode.name) : null;
}

function limitsOf({
  maxOutputBytes,
  maxInlineChars,
  storeContent,
  handshakeMs,
}: DaemonContext['settings']): LaunchSpec['limits'] {
  return { maxOutputBytes, maxInlineChars, storeContent: storeContent, handshakeMs };
}

function launchOptions({ settings }: Pick<DaemonContext, 'settings'>, session: Session): Record<string, unknown> {
  const { forkSessionId, ...options } = session.options;
  const isResumed = session.agentSessionId !== null;
  return {
    ...(settings.maxRuntimeMs > 0 ? { timeout: settings.maxRuntimeMs } : {}),
    ...options,
    cwd: session.cwd,
    ...(isResumed ? { sessionId: session.agentSessionId } : forkSessionId === undefined ? {} : { forkSessionId }),
  };
}
