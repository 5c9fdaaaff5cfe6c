import type { ProcessIdentity } from '@agent-mux/core';
import { changeFromHook } from '../activity/hook-change.ts';
import { addHookFact, EMPTY_HOOK_RECORD, type HookFact } from '../activity/hook-record.ts';
import { type DaemonContext, notifyChange } from '../sessions/daemon-context.ts';
import { emptyRow } from '../sessions/empty-row.ts';
import { createSessionId } from '../sessions/ids.ts';
import type { StoredSession } from '../store/store.ts';
import { findHookOwner } from './find-session.ts';
import { checkProcess, HOOKS } from './hook-records.ts';
import { findAgentProcess, type HookInterpretation, interpret } from './interpret.ts';
import { applyReport } from './report-activity.ts';
import type { HookDelivery } from './spool.ts';
import type { UnmanagedSessions } from './unmanaged-sessions.ts';

/** Maximum number of unmanaged sessions followed at once. */
const MAX_UNMANAGED = 500;

/** Applies a report. Returns null on success, or why it was ignored. Throws if it cannot be parsed or stored. */
export async function applyHookDelivery(
  ctx: DaemonContext,
  unmanaged: UnmanagedSessions,
  delivery: HookDelivery,
  secrets: readonly string[],
): Promise<string | null> {
  const { agent } = delivery;
  const adapter = ctx.clientFor({ id: '', cwd: '/', trustProject: false }).adapters.get(agent);
  const hook = interpret(delivery, adapter, secrets);
  const process = findAgentProcess(delivery.ancestors);
  const owner = await findHookOwner(ctx, delivery, hook, { unmanaged: unmanaged.known, process });
  if (owner.kind === 'none') return owner.isSuspicious ? `refused: ${owner.why}` : owner.why;
  const fact = factOf(ctx, delivery, hook, process);
  if (owner.kind === 'new') {
    if (unmanaged.known.size >= MAX_UNMANAGED)
      return `refused: the limit of ${MAX_UNMANAGED} unmanaged sessions is reached`;
    await start(ctx, unmanaged, { agent, cwd: owner.cwd, startedIn: owner.startedIn, key: delivery.id }, fact, hook);
    return null;
  }
  const { id } = owner.session;
  await ctx.mutex.run(id, async () => {
    const session = await ctx.store.getSession(id);
    if (!session) return;
    const { agentSessionId } = hook;
    const report = { fact, agentSessionId, prompts: hook.isPrompt ? 1 : 0, key: delivery.id, mayMove: !owner.ours };
    await applyReport(ctx, session, report, (followed, memory) => unmanaged.note(followed, memory));
  });
  return null;
}

function factOf(
  ctx: DaemonContext,
  { id, at }: HookDelivery,
  { state, model, ...hook }: HookInterpretation,
  process: ProcessIdentity | undefined,
): HookFact {
  const { title, summary } = ctx.settings.storeContent ? hook : {};
  return {
    id,
    // If the clock was set back since, later calls must not look like earlier ones.
    at: Math.min(at, ctx.now()),
    ...(state === undefined ? {} : { state }),
    ...(title === undefined ? {} : { title }),
    ...(summary === undefined ? {} : { summary }),
    ...(model === undefined ? {} : { model }),
    ...(process === undefined ? {} : { process: { pid: process.pid, startTime: process.startTime } }),
  };
}

interface NewSession {
  agent: string;
  cwd: string;
  startedIn: string | null;
  key: string;
}

/** Inserts a session that was started in a terminal. */
async function start(
  ctx: DaemonContext,
  unmanaged: UnmanagedSessions,
  options: NewSession,
  fact: HookFact,
  hook: HookInterpretation,
): Promise<void> {
  const { agentSessionId, isPrompt } = hook;
  const empty = rowOf(ctx, options);
  const memory = addHookFact(EMPTY_HOOK_RECORD, fact);
  const isSeen = checkProcess(memory) === 'lives';
  const counted = { ...empty, rev: 0, openRequests: 0, queuedMessages: 0 };
  const { addMetadata = {}, ...change } = changeFromHook(counted, memory, {
    ...{ weight: 'unmanaged', agentSessionId, isSeen },
    now: ctx.now(),
    prompts: isPrompt ? 1 : 0,
  });
  const insert: StoredSession = { ...empty, ...change, metadata: { ...empty.metadata, ...addMetadata } };
  const record = { kind: HOOKS, key: insert.id, value: memory };
  if (!(await ctx.store.recordDelivery({ key: options.key, now: ctx.now(), insert, record }))) return;
  unmanaged.note(insert, memory);
  notifyChange(ctx);
}

function rowOf(ctx: DaemonContext, { agent, cwd, startedIn }: NewSession): StoredSession {
  const { onLimit } = ctx.settings;
  return {
    ...emptyRow({ id: createSessionId(), agent, cwd, onLimit, now: ctx.now() }),
    parked: false,
    origin: 'unmanaged',
    metadata: startedIn === null ? {} : { startedIn },
  };
}
