import { join } from 'node:path';
import type { Message, Session } from '@agent-mux/api';
import { estimateCost, messageOf, type TokenUsage } from '@agent-mux/core';
import { Projector } from '../activity/project.ts';
import { DaemonError } from '../daemon-error.ts';
import type { Launch } from '../keeper/protocol.ts';
import { shareGroupOf } from '../keeper/share-group.ts';
import { startKeeper } from '../keeper/start-keeper.ts';
import { dayOf } from '../limits/days.ts';
import { findAdapter, findMode } from './agent-facts.ts';
import { attachmentsOf } from './attachments.ts';
import { canContinueStored, cannotContinue, conversationOf } from './can-continue.ts';
import type { Desk, LiveSession } from './desk.ts';
import { resolveEnvironment } from './environment.ts';
import { runIdOf } from './ids.ts';
import { asRefusal, type KeeperLink, openLink } from './keeper-link.ts';
import { keeperEvents } from './keepers/keeper-events.ts';
import { rememberKeeper } from './keepers/keeper-identity.ts';
import { makeRoom } from './parking.ts';
import { readReported } from './reported.ts';

/** Starts a process for the session, with this message as its first. Throws where it is refused; then nothing was sent. */
export async function launchSession(desk: Desk, session: Session, message: Message): Promise<LiveSession> {
  if (desk.isClosing())
    throw new DaemonError('STARTING', 'the daemon is about to end', { hint: 'try again in a moment' });
  if (!(await canContinueStored(desk, session))) throw cannotContinue(desk, session);
  await makeRoom(desk);
  const { env, hostEnv } = resolveEnvironment(desk, session);
  const number = session.launch + 1;
  const firstSeq = session.lastSeq + 1;
  const started = await desk.store.updateSession(session.id, {
    launch: number,
    launchSeq: firstSeq,
    mode: findMode(findAdapter(desk, session), session.options)?.name ?? session.mode,
    activity: 'spawning',
    activitySince: desk.now(),
    parked: false,
    isTerminated: false,
    error: null,
    limit: null,
    updatedAt: desk.now(),
  });
  if (!started) throw new DaemonError('NOT_FOUND', `the session ${session.id} was removed`);
  const launch: Launch = {
    sessionId: session.id,
    folder: join(desk.places.sessions, session.id),
    launch: number,
    runId: runIdOf(session.id, number),
    firstSeq,
    agent: session.agent,
    options: launchOptions(desk, session),
    trustProject: session.trustProject,
    env,
    hostEnv,
    message: { messageId: message.id, text: message.text, attachments: await attachmentsOf(desk, message) },
    expected: session.nativeId === null ? {} : await readReported(desk.store, session.id),
    group: groupOf(desk, session),
    limits: limitsOf(desk.settings),
  };
  const live = prepareLive(desk, started);
  live.projector.startLaunch(number);
  live.inFlight = message.id;
  desk.live.set(session.id, live);
  try {
    await holdIt(desk, launch, live);
  } catch (error) {
    if (desk.live.get(session.id) === live) desk.live.delete(session.id);
    throw error;
  }
  // It is held from here on, whether that can be written down or not.
  await noteKeeper(desk, live).catch((error: unknown) =>
    desk.log(`${session.id}: its keeper cannot be written down: ${messageOf(error)}`),
  );
  return live;
}

async function noteKeeper(desk: Desk, { id, link }: LiveSession): Promise<void> {
  await desk.store.updateSession(id, { keeperPid: link?.record.pid ?? null });
  if (link) await rememberKeeper(desk, id, link.record);
}

/** A session in the hands of a keeper, with what its rows say of it. `link` is set by who connects. */
export function prepareLive(desk: Desk, session: Session): LiveSession {
  const { id, agent, account, launch, lastSeq } = session;
  const adapter = findAdapter(desk, session);
  const around = {
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
    projector: new Projector(session, around),
    lastSeq,
    inFlight: null,
    ending: null,
    trouble: null,
    quietSince: performance.now(),
  };
}

/** Agents that share a process are held by one keeper; all others have one of their own. */
async function holdIt(desk: Desk, launch: Launch, live: LiveSession): Promise<void> {
  const group =
    launch.group === null ? [] : [...desk.keepers.values()].filter(({ record }) => record.group === launch.group);
  for (const link of group) if (await openBeside(link, launch, live)) return;
  const options = { after: { [launch.sessionId]: launch.firstSeq - 1 } };
  const { link, begin } = await openLink(
    (listener) => startKeeper(launch.folder, launch, { ...options, listener }),
    keeperEvents(desk),
  ).catch((error: unknown) => {
    throw asRefusal(error);
  });
  desk.keepers.set(link.key, link);
  live.link = link;
  begin();
}

const CANNOT_TAKE_ALONG: ReadonlySet<string> = new Set([
  'KEEPER_GONE',
  'KEEPER_UNREACHABLE',
  'OTHER_ENVIRONMENT',
  'OTHER_GROUP',
]);

/** False: it cannot take this one along, since it lives in another environment or is about to leave. */
async function openBeside(link: KeeperLink, launch: Launch, live: LiveSession): Promise<boolean> {
  live.link = link;
  try {
    await link.order({ type: 'open', launch, after: launch.firstSeq - 1 });
    return true;
  } catch (error) {
    live.link = undefined;
    if (error instanceof DaemonError && CANNOT_TAKE_ALONG.has(error.code)) return false;
    throw error;
  }
}

/** Null: it has a process, and so a keeper, of its own. */
function groupOf(desk: Desk, session: Session): string | null {
  const adapter = findAdapter(desk, session);
  const mode = findMode(adapter, session.options);
  return adapter && mode ? shareGroupOf(adapter, mode.name) : null;
}

function limitsOf({ maxOutputBytes, inlineChars, storeActivity, handshakeMs }: Desk['settings']): Launch['limits'] {
  return { maxOutputBytes, inlineChars, storeContent: storeActivity, handshakeMs };
}

function launchOptions({ settings }: Pick<Desk, 'settings'>, session: Session): Record<string, unknown> {
  const { forkSessionId, ...options } = session.options;
  const goesOn = session.nativeId !== null;
  return {
    ...(settings.maxRuntimeMs > 0 ? { timeout: settings.maxRuntimeMs } : {}),
    ...options,
    cwd: session.cwd,
    ...(goesOn ? { sessionId: session.nativeId } : forkSessionId === undefined ? {} : { forkSessionId }),
  };
}
